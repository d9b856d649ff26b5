// Measures medians of interleaved runs, so that a busy machine slows down both sides of a ratio alike.
export interface Result {
  name: string
  /** What was measured: a ratio, a count or a rate. */
  value: number
  /** The value must not be above it. Absent: reported, not judged. */
  limit?: number
  unit: string
  detail: string
}

export type Measurement = () => Result[] | Promise<Result[]>

export function milliseconds(act: () => void): number {
  const start = performance.now()
  act()
  return performance.now() - start
}

export function median(times: number[]): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

type Sides<Side extends string> = Record<Side, (round: number) => number>

/** Runs every side once per round, each giving its own time, and returns the median of each side. */
export function interleave<Side extends string>(rounds: number, sides: Sides<Side>): Record<Side, number> {
  const times = Object.entries<number[]>(interleaveRounds(rounds, sides))
  return Object.fromEntries(times.map(([name, all]) => [name, median(all)])) as Record<Side, number>
}

/** The same, with the times of all rounds. */
export function interleaveRounds<Side extends string>(
  rounds: number,
  sides: Sides<Side>,
): Record<Side, number[]> {
  const names = Object.keys(sides) as Side[]
  const times = Object.fromEntries(names.map((name): [Side, number[]] => [name, []])) as Record<
    Side,
    number[]
  >
  for (let round = 0; round < rounds; round += 1) {
    // Every other round runs backwards: one side fills the caches for the next.
    for (const name of round % 2 === 0 ? names : [...names].reverse()) times[name].push(sides[name](round))
  }
  return times
}

export function ratio(name: string, limit: number, ours: number, theirs: number): Result {
  const detail = `${ours.toFixed(1)} ms / ${theirs.toFixed(1)} ms`
  return { name, value: ours / theirs, limit, unit: '×', detail }
}

export function holds({ value, limit }: Result): boolean {
  return limit === undefined || value <= limit
}
