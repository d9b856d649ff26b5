// What must be left alone, case by case.
import { expect, test } from 'bun:test'
import type { Session } from '../model/session.ts'
import { whyStuck } from '../recording/dead-turn.ts'
import { parseSessionState } from '../sessions/record.ts'
import { hasUncommittedSteps, whyInUse } from './inventory.ts'

const now = new Date('2026-02-10T12:00:00Z')
const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000).toISOString()
const session = (fields: Record<string, unknown>) =>
  parseSessionState({ session_id: 's', base_commit: 'a'.repeat(40), ...fields }) as Session

test.each<[string, Record<string, unknown>, string | undefined]>([
  ['a running turn', { phase: 'active' }, 'a turn is running'],
  ['a running turn that committed', { phase: 'active_committed' }, 'a turn is running'],
  [
    'steps after the end',
    { phase: 'ended', ended_at: ago(99), checkpoint_count: 2 },
    'holds work that is not committed yet',
  ],
  ['files without steps', { phase: 'ended', files_touched: ['a'] }, 'holds work that is not committed yet'],
  [
    'a checkpoint to complete',
    { phase: 'ended', turn_checkpoint_ids: ['abcdefabcdef'] },
    'has a checkpoint to complete (run `entire doctor`)',
  ],
  ['an idle session', { phase: 'idle', last_interaction_time: ago(24) }, 'has not ended'],
  [
    'an idle session, silent for more than a week',
    { phase: 'idle', last_interaction_time: ago(8 * 24) },
    undefined,
  ],
  ['an idle session without any time', { phase: 'idle' }, undefined],
  ['one that ended', { phase: 'ended', ended_at: ago(1) }, undefined],
  ['one of a version without phases that ended', { ended_at: ago(1) }, undefined],
])('%s', (_case, fields, why) => {
  expect(whyInUse(session(fields), now)).toBe(why)
})

test.each<[string, Record<string, unknown>, string | undefined]>([
  ['not running', { phase: 'idle', last_interaction_time: ago(99) }, undefined],
  ['an hour of silence is not enough', { phase: 'active', last_interaction_time: ago(1) }, undefined],
  ['more is', { phase: 'active', last_interaction_time: ago(1.5) }, 'active, last interaction 1h30m ago'],
  ['days', { phase: 'active', last_interaction_time: ago(50) }, 'active, last interaction 2d ago'],
  ['no time at all', { phase: 'active' }, 'active, no recorded interaction time'],
  [
    'its process is gone',
    { phase: 'active', last_interaction_time: ago(0), owner: { pid: 999_999_999 } },
    'agent process 999999999 exited (no longer running)',
  ],
  [
    'its process is there',
    { phase: 'active', last_interaction_time: ago(0), owner: { pid: process.pid } },
    undefined,
  ],
  [
    'nonsense about its process',
    { phase: 'active', last_interaction_time: ago(0), owner: { pid: -1 } },
    undefined,
  ],
])('stuck: %s', (_case, fields, why) => {
  expect(whyStuck(session(fields), now)).toBe(why)
})

test('steps are counted, or seen by their files', () => {
  expect(
    [{}, { checkpoint_count: 1 }, { files_touched: ['a'] }].map((fields) =>
      hasUncommittedSteps(session(fields)),
    ),
  ).toEqual([false, true, true])
})
