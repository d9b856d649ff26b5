// A trace adds up to the whole.
import { expect, test } from 'bun:test'
import { startTrace } from './log.ts'

test('phases follow each other, and those with one name are summed', () => {
  const times = [9, 10, 22, 25, 30]
  const trace = startTrace(() => times.shift() as number)
  for (const phase of ['lock', 'write', 'lock']) trace.mark(phase)
  expect(trace.text()).toBe('start=9 lock=4 write=12')
  expect(trace.total()).toBe(30)
})
