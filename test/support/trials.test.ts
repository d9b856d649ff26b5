import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { tempDir } from './repo.ts'
import { readFigures } from './trials.ts'

const module = JSON.stringify(join(import.meta.dir, 'trials.ts'))

/** What a process with this script writes down. */
async function figuresOf(script: string, hasEnded = true) {
  await using dir = tempDir()
  const file = join(dir.base, 'figures')
  Bun.spawnSync([process.execPath, '-e', `const { counted } = await import(${module})\n${script}`], {
    env: { PATH: process.env.PATH, ENTIRE_TEST_FIGURES: file },
    stderr: 'ignore',
  })
  return Object.fromEntries(readFigures(file, { hasEnded }))
}

test('trials of stories that end have held, whatever runs beside them', async () => {
  const script = `await Promise.all([
    counted('kills', async ({ begin }) => { begin(); await 1; begin() }),
    counted('kills', ({ begin }) => begin()),
    counted('secrets', ({ begin, excuse }) => { begin(100); excuse(1) }),
  ])`
  expect(await figuresOf(script)).toEqual({
    kills: { tried: 3, held: 3, lost: 0, excused: 0 },
    secrets: { tried: 100, held: 100, lost: 0, excused: 1 },
  })
})

test('test files that load the module anew in one process do not overwrite each other', async () => {
  const script = `await counted('kills', ({ begin }) => begin(3))
  const again = await import(${module.replace(/"$/, '?again"')})
  await again.counted('kills', ({ begin }) => begin(4))`
  expect(await figuresOf(script)).toEqual({ kills: { tried: 7, held: 7, lost: 0, excused: 0 } })
})

test('the trial during which a story fails is lost, also when it had begun none', async () => {
  const script = `await Promise.allSettled([
    counted('kills', ({ begin }) => { begin(); begin(); throw new Error() }),
    counted('races', () => { throw new Error() }),
  ])`
  expect(await figuresOf(script)).toEqual({
    kills: { tried: 2, held: 1, lost: 1, excused: 0 },
    races: { tried: 1, held: 0, lost: 1, excused: 0 },
  })
})

test('a story whose process ends in the middle has lost its last trial', async () => {
  const script = `await counted('kills', ({ begin }) => { begin(); begin(); process.exit(0) })`
  expect(await figuresOf(script)).toEqual({ kills: { tried: 2, held: 1, lost: 1, excused: 0 } })
  expect(await figuresOf(script, false)).toEqual({ kills: { tried: 2, held: 2, lost: 0, excused: 0 } })
})
