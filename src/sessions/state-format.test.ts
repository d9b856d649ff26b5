import { expect, test } from 'bun:test'
import { formatSessionState, parseSessionState } from './state-format.ts'

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
  const session = parseSessionState(reference)
  expect(session).toBeDefined()
  expect(formatSessionState(session as NonNullable<typeof session>)).toEqual(reference)
})

test('fields of other versions are kept', () => {
  const session = parseSessionState({ ...reference, owner: { pid: 42 }, kind: 'review' })
  expect(formatSessionState(session as NonNullable<typeof session>)).toMatchObject({
    owner: { pid: 42 },
    kind: 'review',
  })
})

test.each([
  ['a missing attribution base is the base', { base_commit: 'b' }, { attributionBase: 'b' }],
  ['the position of older versions is taken over', { condensed_transcript_lines: 7 }, { transcriptStart: 7 }],
  ['so is the oldest one', { transcript_lines_at_start: 5 }, { transcriptStart: 5 }],
  ['an unknown phase is idle', { phase: 'dreaming' }, { phase: 'idle' }],
  ['a missing phase is idle', {}, { phase: 'idle' }],
  ['a committed turn keeps its phase', { phase: 'active_committed' }, { phase: 'active_committed' }],
  ['phases may be written in capitals', { phase: 'ACTIVE_COMMITTED' }, { phase: 'active_committed' }],
  [
    'the identifier of older versions is taken over',
    { transcript_uuid_at_start: 'u1' },
    { transcriptIdAtStart: 'u1' },
  ],
  [
    'null is absence',
    {
      ended_at: null,
      token_usage: null,
      pending_prompt_attribution: null,
      prompt_attributions: [null],
      files_touched: null,
    },
    {
      endedAt: undefined,
      tokens: undefined,
      pendingAttribution: undefined,
      promptAttributions: [],
      filesTouched: [],
    },
  ],
  [
    'the zero time is absence',
    {
      ended_at: '0001-01-01T00:00:00Z',
      last_interaction_time: '0001-01-01T00:00:00Z',
      started_at: '0001-01-01T00:00:00Z',
    },
    { endedAt: undefined, lastInteraction: undefined, startedAt: '' },
  ],
  [
    'times have any zone and precision',
    { started_at: '2026-02-10T12:00:00.123456789+01:00' },
    { startedAt: '2026-02-10T12:00:00.123456789+01:00' },
  ],
  [
    'what is not a time is none',
    { started_at: 'soon \u001b[2J', ended_at: 5 },
    { startedAt: '', endedAt: undefined },
  ],
  [
    'repetitions are dropped',
    { files_touched: ['a', 'b', 'a'], untracked_files_at_start: ['a', 'a'] },
    { filesTouched: ['a', 'b'], untrackedAtStart: ['a'] },
  ],
  [
    'counts are not negative',
    { checkpoint_count: -1, checkpoint_transcript_start: -3, session_turn_count: 1.5 },
    { stepCount: 0, transcriptStart: 0, turnCount: 0 },
  ],
  [
    'links are ids',
    { last_checkpoint_id: '../..', turn_checkpoint_ids: ['a3b2c4d5e6f7', '', '--all', 'a3b2c4d5e6f7'] },
    { lastCheckpoint: undefined, turnCheckpoints: ['a3b2c4d5e6f7'] },
  ],
  [
    'lists of the wrong kind are empty',
    { files_touched: 'a', turn_checkpoint_ids: null },
    { filesTouched: [], turnCheckpoints: [] },
  ],
  ['a cursor that is not whole is dropped', { transcript_cursor: { path: 'x' } }, { cursor: undefined }],
])('%s', (_, fields, expected) => {
  const session = parseSessionState({ session_id: 's', ...fields })
  for (const [key, value] of Object.entries(expected))
    expect(session?.[key as keyof typeof session]).toEqual(value as never)
})

test('a state from before there were phases, agents and versions is an idle session', () => {
  const session = parseSessionState({
    session_id: '2026-01-05-0b1c',
    base_commit: '9fceb02d0ae598e95dc970b74767f19372d61af8',
    started_at: '2026-01-05T12:00:00Z',
    checkpoint_count: 2,
    condensed_transcript_lines: 5,
    concurrent_warning_shown: true,
  })
  expect(session).toMatchObject({
    id: '2026-01-05-0b1c',
    phase: 'idle',
    agentType: '',
    worktreePath: '',
    stepCount: 2,
    transcriptStart: 5,
  })
  expect(formatSessionState(session as NonNullable<typeof session>)).toMatchObject({
    concurrent_warning_shown: true,
    checkpoint_transcript_start: 5,
  })
})

test.each([[undefined], [null], ['text'], [[]], [{}], [{ session_id: 5 }], [{ session_id: '' }]])(
  '%p is not a session',
  (value) => {
    expect(parseSessionState(value)).toBeUndefined()
  },
)
