import { expect, test } from 'bun:test'
import { formatSession, parseSession } from './state-record.ts'

const reference = {
  session_id: '6f3c0e52-8f0e-4a54-9a13-5a3f1f0a7c11',
  cli_version: '0.4.4',
  base_commit: '9fceb02d0ae598e95dc970b74767f19372d61af8',
  attribution_base_commit: '9fceb02d0ae598e95dc970b74767f19372d61af8',
  worktree_path: '/home/a/repo',
  started_at: '2026-02-10T12:00:00.1Z',
  phase: 'active',
  turn_id: '0f1e2d3c4b5a',
  last_interaction_time: '2026-02-10T12:01:00Z',
  checkpoint_count: 1,
  untracked_files_at_start: ['README.md', 'src/a.ts'],
  files_touched: ['src/a.ts'],
  agent_type: 'Claude Code',
  transcript_path: '/home/a/.claude/projects/-home-a-repo/6f3c.jsonl',
  first_prompt: 'add a parser',
}

test('a state of the reference program is read and written back as it was', () => {
  const session = parseSession(reference)
  expect(session).toBeDefined()
  expect(formatSession(session as NonNullable<typeof session>)).toEqual(reference)
})

test('fields of other versions are kept', () => {
  const session = parseSession({ ...reference, owner: { pid: 42 }, kind: 'review' })
  expect(formatSession(session as NonNullable<typeof session>)).toMatchObject({ owner: { pid: 42 }, kind: 'review' })
})

test.each([
  ['a missing attribution base is the base', { base_commit: 'b' }, { attributionBase: 'b' }],
  ['the position of older versions is taken over', { condensed_transcript_lines: 7 }, { transcriptStart: 7 }],
  ['so is the oldest one', { transcript_lines_at_start: 5 }, { transcriptStart: 5 }],
  ['an unknown phase is idle', { phase: 'dreaming' }, { phase: 'idle' }],
  ['a missing phase is idle', {}, { phase: 'idle' }],
  ['a committed turn keeps its phase', { phase: 'active_committed' }, { phase: 'active_committed' }],
  ['lists of the wrong kind are empty', { files_touched: 'a', turn_checkpoint_ids: null }, { filesTouched: [], turnCheckpoints: [] }],
  ['a cursor that is not whole is dropped', { transcript_cursor: { path: 'x' } }, { cursor: undefined }],
])('%s', (_, fields, expected) => {
  const session = parseSession({ session_id: 's', ...fields })
  for (const [key, value] of Object.entries(expected)) expect(session?.[key as keyof typeof session]).toEqual(value as never)
})

test.each([[undefined], [null], ['text'], [[]], [{}], [{ session_id: 5 }], [{ session_id: '' }]])('%p is not a session', (value) => {
  expect(parseSession(value)).toBeUndefined()
})
