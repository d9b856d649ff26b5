import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Chosen {
  points: number[]
  seeds: number[]
  runs: { seed: number; numRuns: number }
  /** Of twelve rows, the same in the next table, and of three rows. */
  rows: number[][]
}

/**
 * What a run with these variables does of fifty kill points, and with which seeds it tells random stories.
 */
function chosen(env: Record<string, string>): Chosen {
  const script = `
    const { rotatingNumbers, rotatingRows, rotatingRuns, rotatingSeeds } = await import(${JSON.stringify(join(import.meta.dir, 'rotation.ts'))})
    const points = []
    for (const number of rotatingNumbers()) { if (number > 50) break; points.push(number) }
    const twelve = Array.from({ length: 12 }, (_, index) => index)
    const rows = [rotatingRows(twelve), rotatingRows(twelve, 1), rotatingRows([0, 1, 2])]
    console.log(JSON.stringify({ points, seeds: rotatingSeeds(100), runs: rotatingRuns(100), rows }))`
  const ran = Bun.spawnSync([process.execPath, '-e', script], { env: { PATH: process.env.PATH, ...env } })
  return JSON.parse(ran.stdout.toString())
}

const twelve = Array.from({ length: 12 }, (_, index) => index)

test('five seeds that follow one another do everything, each a fifth', () => {
  const runs = [7, 8, 9, 10, 11].map((seed) => chosen({ ENTIRE_TEST_SEED: String(seed) }))
  expect(runs.map(({ points }) => points.length)).toEqual([10, 10, 10, 10, 10])
  expect(new Set(runs.flatMap(({ points }) => points)).size).toBe(50)
  expect(runs.flatMap(({ seeds }) => seeds).sort()).toEqual([100, 101, 102, 103, 104])
  expect(runs.map(({ runs }) => runs.numRuns)).toEqual([20, 20, 20, 20, 20])
  expect(new Set(runs.map(({ runs }) => runs.seed)).size).toBe(5)
  for (const table of [0, 1])
    expect(runs.flatMap(({ rows }) => rows[table] ?? []).toSorted((a, b) => a - b)).toEqual(twelve)
  expect(runs[0]?.rows[0]).not.toEqual(runs[0]?.rows[1])
  expect(runs.map(({ rows }) => rows[2]?.length)).toEqual([1, 1, 1, 1, 1])
  expect(new Set(runs.slice(0, 3).flatMap(({ rows }) => rows[2])).size).toBe(3)
})

test('a soak does everything, and stories of its own', () => {
  const { points, seeds, runs, rows } = chosen({ ENTIRE_TEST_SEED: '7', ENTIRE_TEST_SOAK: '1' })
  expect(points).toHaveLength(50)
  expect(seeds.slice(0, 6)).toEqual([100, 101, 102, 103, 104, 7])
  expect(runs).toEqual({ seed: 7, numRuns: 2000 })
  expect(rows).toEqual([twelve, twelve, [0, 1, 2]])
})

test('without a seed the commit decides, so that a failure happens again', () => {
  expect(chosen({})).toEqual(chosen({}))
})

test('a soak runs every test that rotates', () => {
  const root = join(import.meta.dir, '../..')
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const soaked = [...read('scripts/soak.ts').matchAll(/'((?:src|test|samples)(?:\/[^']+)?)'/g)].map(
    ([, path = '']) => path,
  )
  const tests = ['src', 'test', 'samples'].flatMap((dir) =>
    [...new Bun.Glob(`${dir}/**/*.test.ts`).scanSync(root)].filter((path) =>
      read(path).includes("/support/rotation.ts'"),
    ),
  )
  expect(tests.length).toBeGreaterThan(20)
  expect(
    tests.filter((path) => !soaked.some((part) => path === part || path.startsWith(`${part}/`))),
  ).toEqual([])
})
