import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { tempRepo } from '../../test/support/repo.ts'
import type { Session } from '../model/session.ts'
import { listSessionHeads, listStateIds, readState } from './list.ts'
import { parseSessionState } from './state-format.ts'
import { writeSession } from './store.ts'

function session(id: string, more: object = {}): Session {
  return parseSessionState({
    session_id: id,
    base_commit: 'abc',
    started_at: '2026-02-10T12:00:00Z',
    ...more,
  }) as Session
}

test('a head has the same values as the whole state, however long the rest is', async () => {
  await using temp = await tempRepo()
  const long = Array.from({ length: 10_000 }, (_, index) => `dir/file-${index}.ts`)
  const state = session('one', {
    worktree_path: '/work "tree"\n',
    worktree_id: 'wt',
    ended_at: '2026-02-10T13:00:00Z',
    phase: 'active_committed',
    last_interaction_time: '2026-02-10T12:30:00Z',
    untracked_files_at_start: long,
  })
  writeSession(temp.repo, state)
  const { heads, unreadable } = listSessionHeads(temp.repo)
  expect(heads).toEqual([
    {
      id: 'one',
      worktreePath: '/work "tree"\n',
      worktreeId: 'wt',
      startedAt: state.startedAt,
      endedAt: '2026-02-10T13:00:00Z',
      phase: 'active_committed',
      lastInteraction: '2026-02-10T12:30:00Z',
    },
  ])
  expect(unreadable).toEqual([])
  expect(readState(temp.repo, 'one')?.untrackedAtStart).toEqual(long)
})

test('sessions are listed newest start first, whichever program wrote the file', async () => {
  await using temp = await tempRepo()
  const put = (id: string, text: string) => temp.write(`.git/entire-sessions/${id}.json`, text)
  writeSession(temp.repo, session('old', { started_at: '2026-01-01T00:00:00Z' }))
  put(
    'compact',
    JSON.stringify({
      session_id: 'compact',
      started_at: '2026-03-01T00:00:00+01:00',
      phase: 'idle',
      checkpoint_count: 0,
    }),
  )
  put(
    'late-count',
    JSON.stringify(
      { checkpoint_count: 1, session_id: 'late-count', started_at: '2026-02-01T00:00:00Z' },
      null,
      2,
    ),
  )
  put('undated', JSON.stringify({ session_id: 'undated' }))
  expect(listSessionHeads(temp.repo).heads.map(({ id }) => id)).toEqual([
    'compact',
    'late-count',
    'old',
    'undated',
  ])
})

test('an unreadable state is reported, and left as it is', async () => {
  await using temp = await tempRepo()
  const dir = join(temp.root, '.git/entire-sessions')
  const put = (name: string, text: string | Uint8Array) => temp.write(`.git/entire-sessions/${name}`, text)
  writeSession(temp.repo, session('good'))
  put('good.json.corrupt', 'of an earlier time')
  put('half.json', '{"session_id": "half", "started')
  put('empty.json', '')
  put('bytes.json', Buffer.from([0xff, 0xfe, 0, 1]))
  put('array.json', '[]')
  put('other-name.json', JSON.stringify({ session_id: 'good' }))
  put('aside.json.corrupt', '{')
  put('good.json.12.tmp', '{')
  put('README.txt', 'x')
  mkdirSync(join(dir, 'directory.json'))
  await temp.run(['mkfifo', join(dir, 'pipe.json')])
  put('secret.json', '{}')
  chmodSync(join(dir, 'secret.json'), 0)
  const { heads, unreadable } = listSessionHeads(temp.repo)
  expect(heads.map(({ id }) => id)).toEqual(['good'])
  expect(unreadable).toEqual([
    'array',
    'aside',
    'bytes',
    'directory',
    'empty',
    'half',
    'other-name',
    'pipe',
    'secret',
  ])
  expect(listStateIds(temp.repo)).toContain('half')
  expect(temp.read('.git/entire-sessions/half.json')).toContain('started')
})

test('an invalid time counts as missing, in a head as in the whole state', async () => {
  await using temp = await tempRepo()
  const state = {
    session_id: 'go',
    started_at: '2026-02-10T12:00:00Z',
    ended_at: '0001-01-01T00:00:00Z',
    phase: 'IDLE',
    checkpoint_count: 0,
  }
  temp.write('.git/entire-sessions/go.json', JSON.stringify(state, null, 2))
  expect(listSessionHeads(temp.repo).heads[0]).toEqual({
    id: 'go',
    worktreePath: '',
    worktreeId: '',
    startedAt: state.started_at,
    phase: 'idle',
  })
  expect(readState(temp.repo, 'go')).not.toHaveProperty('endedAt')
})

test('no sessions are an empty list', async () => {
  await using temp = await tempRepo()
  expect(listSessionHeads(temp.repo)).toEqual({ heads: [], unreadable: [] })
})
