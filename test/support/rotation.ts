// Chooses how much of the long tests a run does: a fifth, another one after each commit, or everything (`npm
// run soak`).
import { join } from 'node:path'

/** Whether this run does everything. */
export const isSoak = process.env.ENTIRE_TEST_SOAK === '1'

const parts = 5

// A quick soak does a tenth of it.
const factor = Number(process.env.ENTIRE_TEST_SOAK_FACTOR ?? 1)

/**
 * Decides which part it is: ENTIRE_TEST_SEED, else the number of commits, so that a failure happens again
 * until the next commit.
 */
export const rotationSeed = Number(process.env.ENTIRE_TEST_SEED ?? seedOfCommit())

const part = rotationSeed % parts

/** Describes the rotation in the names of tests, and how to repeat it. */
export const rotationTitle = isSoak
  ? 'all of them'
  : `part ${part + 1} of ${parts}, ENTIRE_TEST_SEED=${rotationSeed}`

/** How long a test may take, in milliseconds: in a soak as long as it needs, because many run side by side. */
export function timeLimit(usual: number): number {
  return isSoak ? 24 * 3_600_000 : usual
}

/** How often something is done: in a soak, which may be a quick one, or else. */
export function rounds(usual: number, inSoak: number): number {
  return isSoak ? Math.max(usual, Math.ceil(inSoak * factor)) : usual
}

/** Numbers from 1 without an end: each of them in a soak, else every fifth. */
export function* rotatingNumbers(): Generator<number> {
  for (let number = isSoak ? 1 : part + 1; ; number += isSoak ? 1 : parts) yield number
}

/** Seeds for random stories: that of this part, and in a soak those of all parts and twenty new ones. */
export function rotatingSeeds(first: number): number[] {
  if (!isSoak) return [first + part]
  const known = Array.from({ length: parts }, (_, index) => first + index)
  const fresh = Array.from({ length: rounds(1, 20) }, (_, index) => rotationSeed + index)
  return [...known, ...fresh]
}

/**
 * Of many rows a fifth, of a few rows one, others in each part; in a soak all of them. `offset` is the number of a
 * table whose rows are tried in several tables: each then begins elsewhere.
 */
export function rotatingRows<T>(rows: readonly T[], offset = 0): T[] {
  const step = Math.min(parts, rows.length)
  return isSoak ? [...rows] : rows.filter((_, index) => (index + offset + rotationSeed) % step === 0)
}

/**
 * The random inputs of a property: of this many a fifth, others in each part, and in a soak twenty times as
 * many new ones.
 */
export function rotatingRuns(count: number): { seed: number; numRuns: number } {
  if (isSoak) return { seed: rotationSeed, numRuns: rounds(count, 20 * count) }
  return { seed: 20_261_116 + part, numRuns: Math.ceil(count / parts) }
}

// The number of commits: each commit plays the part after that of the commit before it.
function seedOfCommit(): number {
  const ran = Bun.spawnSync(['git', 'rev-list', '--count', 'HEAD'], {
    cwd: join(import.meta.dir, '../..'),
    stderr: 'ignore',
  })
  // Without git, as in an unpacked archive, the day decides.
  if (ran.exitCode !== 0) return Math.floor(Date.now() / 86_400_000)
  return Number.parseInt(ran.stdout.toString(), 10)
}
