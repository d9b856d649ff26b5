// The waker wakes at changes, at ticks and on request.
import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWaker } from './waker.ts'

const base = mkdtempSync(join(tmpdir(), 'entire-wake-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

/** So long that only a change can wake the waker. */
const forever = 3_600_000

test('a change in a directory wakes the waker, even after the directory was replaced', async () => {
  const dir = join(base, 'sessions')
  const waker = createWaker(forever)
  for (const round of [1, 2]) {
    rmSync(dir, { recursive: true, force: true })
    waker.attend([dir])
    mkdirSync(dir)
    waker.attend([dir])
    const next = waker.next()
    writeFileSync(join(dir, `${round}.jsonl`), 'x')
    await next
  }
  waker.close()
})

test('without reports from the system the waker polls', async () => {
  const waker = createWaker(forever, () => undefined)
  waker.attend([base])
  await waker.next()
  await waker.next()
  waker.close()
})

test('a call of wake() between waits is not lost', async () => {
  const waker = createWaker(forever)
  waker.wake()
  await waker.next()
  const next = waker.next()
  waker.wake()
  await next
  expect(true).toBe(true)
  waker.close()
})
