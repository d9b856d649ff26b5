// The waker wakes at changes, at ticks and on request.
import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWaker } from './waker.ts'

const base = mkdtempSync(join(tmpdir(), 'entire-wake-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

/** So long that the clock never wakes the waker. */
const never = 3_600_000
const ticks = { reported: never, unreported: never }

/** What happens, in order: a wait is noted when it ends. */
function witness() {
  const seen: string[] = []
  const note = (event: string) => seen.push(event)
  return { seen, note, noteEnd: (wait: Promise<void>, event: string) => wait.then(() => note(event)) }
}

test('a change in a directory wakes the waker, even after the directory was replaced', async () => {
  const dir = join(base, 'sessions')
  const waker = createWaker(never, { ticks })
  const { seen, note, noteEnd } = witness()
  for (const round of [1, 2]) {
    rmSync(dir, { recursive: true, force: true })
    waker.attend([dir])
    mkdirSync(dir)
    waker.attend([dir])
    // Creating the directory itself may be reported: the wait for that is over first.
    waker.wake()
    await waker.next()
    const woken = noteEnd(waker.next(), `woken ${round}`)
    note(`write ${round}`)
    writeFileSync(join(dir, `${round}.jsonl`), 'x')
    await woken
  }
  waker.close()
  expect(seen).toEqual(['write 1', 'woken 1', 'write 2', 'woken 2'])
})

test('without reports from the system the waker polls', async () => {
  const waker = createWaker(never, { subscribe: () => undefined, ticks: { reported: never, unreported: 1 } })
  const { seen, noteEnd } = witness()
  waker.attend([base])
  await noteEnd(waker.next(), 'first tick')
  await noteEnd(waker.next(), 'second tick')
  waker.close()
  expect(seen).toEqual(['first tick', 'second tick'])
})

test('a call of wake() between waits is not lost', async () => {
  const waker = createWaker(never, { ticks })
  const { seen, note, noteEnd } = witness()
  note('wake')
  waker.wake()
  await noteEnd(waker.next(), 'first wait over')
  const second = noteEnd(waker.next(), 'second wait over')
  await Bun.sleep(1)
  note('wake again')
  waker.wake()
  await second
  waker.close()
  expect(seen).toEqual(['wake', 'first wait over', 'wake again', 'second wait over'])
})
