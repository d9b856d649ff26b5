// Defines everything that can happen in a repository while agents work in it, as data that a property test
// draws, shrinks and prints.
import fc from 'fast-check'

export type Event =
  | { type: 'prompt'; who: number }
  | { type: 'write'; who: number; file: string }
  | { type: 'delete'; who: number; file: string }
  | { type: 'rename'; who: number; file: string; to: string }
  | { type: 'shell'; who: number; file: string }
  | { type: 'user-edit'; file: string }
  | { type: 'stop'; who: number }
  | { type: 'stop-together' }
  | { type: 'compact'; who: number }
  | { type: 'subagent'; who: number; file: string }
  | { type: 'end'; who: number }
  | { type: 'commit'; who: number | 'user'; files: string[] | 'all' }
  | { type: 'amend' }
  | { type: 'stash' }
  | { type: 'unstash' }
  | { type: 'checkout'; branch: string }
  | {
      type: 'killed'
      who: number
      verb: 'user-prompt-submit' | 'stop' | 'pre-compact' | 'session-end'
      at: number
    }
  | { type: 'killed-commit'; hook: 'prepare-commit-msg' | 'post-commit'; at: number }

export const sessions = 3
export const files = ['tracked.md', 'src/tracked.ts', 'new.md', 'src/new.ts', 'src/deep/new.ts']
export const branches = ['main', 'side']

// Mostly one session, so that its events add up to something.
const who = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.constant(1) },
  { weight: 1, arbitrary: fc.constant(2) },
)
const file = fc.constantFrom(...files)
const at = fc.integer({ min: 1, max: 24 })

const one = <T extends Event['type']>(type: T, fields: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc.record({ type: fc.constant(type), ...fields }) as unknown as fc.Arbitrary<Event>

// Turns must be frequent for anything interesting to happen between them.
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: one('prompt', { who }) },
  { weight: 8, arbitrary: one('write', { who, file }) },
  { weight: 2, arbitrary: one('delete', { who, file }) },
  { weight: 2, arbitrary: one('rename', { who, file, to: file }) },
  { weight: 4, arbitrary: one('shell', { who, file }) },
  { weight: 2, arbitrary: one('user-edit', { file }) },
  { weight: 5, arbitrary: one('stop', { who }) },
  { weight: 1, arbitrary: one('stop-together') },
  { weight: 1, arbitrary: one('compact', { who }) },
  { weight: 1, arbitrary: one('subagent', { who, file }) },
  { weight: 1, arbitrary: one('end', { who }) },
  {
    weight: 5,
    arbitrary: one('commit', {
      who: fc.oneof(fc.constant('user'), who),
      files: fc.oneof(fc.constant('all'), fc.uniqueArray(file, { minLength: 1, maxLength: 2 })),
    }),
  },
  { weight: 1, arbitrary: one('amend') },
  { weight: 1, arbitrary: one('stash') },
  { weight: 2, arbitrary: one('unstash') },
  { weight: 1, arbitrary: one('checkout', { branch: fc.constantFrom(...branches) }) },
  {
    weight: 2,
    arbitrary: one('killed', {
      who,
      verb: fc.constantFrom('user-prompt-submit', 'stop', 'pre-compact', 'session-end'),
      at,
    }),
  },
  {
    weight: 1,
    arbitrary: one('killed-commit', { hook: fc.constantFrom('prepare-commit-msg', 'post-commit'), at }),
  },
)

export const story: fc.Arbitrary<Event[]> = fc.array(event, { minLength: 14, maxLength: 28, size: 'max' })
