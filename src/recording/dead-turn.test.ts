import { expect, test } from 'bun:test'
import type { Session } from '../model/session.ts'
import { parseSessionState } from '../sessions/state-format.ts'
import { whyStuck } from './dead-turn.ts'

const now = new Date('2026-02-10T12:00:00Z')
const ago = (hours: number) => new Date(now.getTime() - hours * 3_600_000).toISOString()
const session = (fields: Record<string, unknown>) =>
  parseSessionState({ session_id: 's', base_commit: 'a'.repeat(40), ...fields }) as Session

test.each<[string, Record<string, unknown>, string | undefined]>([
  ['not running', { phase: 'idle', last_interaction_time: ago(99) }, undefined],
  ['an hour of silence is not enough', { phase: 'active', last_interaction_time: ago(1) }, undefined],
  [
    'more than an hour of silence',
    { phase: 'active', last_interaction_time: ago(1.5) },
    'active, last interaction 1h30m ago',
  ],
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
