import { expect, test } from 'bun:test'
import type { Session } from '../model/session.ts'
import { parseSessionState } from '../sessions/state-format.ts'
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
  ['an ended session', { phase: 'ended', ended_at: ago(1) }, undefined],
  ['an ended session of a version without phases', { ended_at: ago(1) }, undefined],
])('in use: %s', (_case, fields, why) => {
  expect(whyInUse(session(fields), now)).toBe(why)
})

test('a session has uncommitted steps by count, or by its files', () => {
  expect(
    [{}, { checkpoint_count: 1 }, { files_touched: ['a'] }].map((fields) =>
      hasUncommittedSteps(session(fields)),
    ),
  ).toEqual([false, true, true])
})
