// Defines everything that can happen between two rewinds, as data that the property test draws, shrinks and
// prints.
import fc from 'fast-check'

export type Who = 'user' | 'agent'

export type Event =
  | { type: 'edit'; who: Who; file: string }
  | { type: 'delete'; who: Who; file: string }
  | { type: 'rename'; who: Who; file: string; to: string }
  | { type: 'chmod'; who: Who; file: string; mode: number }
  | { type: 'link'; who: Who; file: string }
  | { type: 'own'; file: string }
  | { type: 'stage'; file: string }
  | { type: 'commit'; all: boolean }
  | { type: 'stop' }
  | { type: 'rewind'; pick: number; from: string; undone: boolean }
  | { type: 'reset'; pick: number; from: string; undone: boolean }
  | { type: 'undo'; from: string }
  | { type: 'redo'; from: string }

// A name that is a file here and a directory there, and names that are hard to pass on.
export const files = [
  'tracked.md',
  'src/tracked.ts',
  'src/deep/new.ts',
  'flip',
  'flip/inner.txt',
  'two\nlines.txt',
  'caf\udce9 "é".txt',
]
/** Files of the user alone: untracked from the beginning, untracked later, and ignored. */
export const ownFiles = ['notes.txt', 'src/later.txt', 'build/out.bin', '.env']
export const ignored = ['build/out.bin', '.env']

const who = fc.constantFrom<Who>('user', 'agent', 'agent', 'agent')
const file = fc.constantFrom(...files)
const from = fc.constantFrom('', 'src', 'src/deep')
const pick = fc.nat(5)
const undone = fc.boolean()

const one = <T extends Event['type']>(type: T, fields: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc.record({ type: fc.constant(type), ...fields }) as unknown as fc.Arbitrary<Event>

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 10, arbitrary: one('edit', { who, file }) },
  { weight: 3, arbitrary: one('delete', { who, file }) },
  { weight: 2, arbitrary: one('rename', { who, file, to: file }) },
  { weight: 2, arbitrary: one('chmod', { who, file, mode: fc.constantFrom(0o600, 0o640, 0o700, 0o755) }) },
  { weight: 1, arbitrary: one('link', { who, file }) },
  { weight: 3, arbitrary: one('own', { file: fc.constantFrom(...ownFiles) }) },
  { weight: 2, arbitrary: one('stage', { file }) },
  { weight: 2, arbitrary: one('commit', { all: fc.boolean() }) },
  { weight: 6, arbitrary: one('stop') },
  { weight: 6, arbitrary: one('rewind', { pick, from, undone }) },
  { weight: 2, arbitrary: one('reset', { pick, from, undone }) },
  { weight: 3, arbitrary: one('undo', { from }) },
  { weight: 2, arbitrary: one('redo', { from }) },
)

export const story = fc.record({
  kind: fc.constantFrom('plain' as const, 'linked-worktree' as const),
  events: fc.array(event, { minLength: 24, maxLength: 45, size: 'max' }),
})
