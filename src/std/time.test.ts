import { expect, test } from 'bun:test'
import { formatTime, parseTime } from './time.ts'

test.each([
  [0, '1970-01-01T00:00:00Z'],
  [10_000, '1970-01-01T00:00:10Z'],
  [100, '1970-01-01T00:00:00.1Z'],
  [120, '1970-01-01T00:00:00.12Z'],
  [5, '1970-01-01T00:00:00.005Z'],
])('%d ms is written as %s', (ms, text) => {
  expect(formatTime(new Date(ms))).toBe(text)
  expect(parseTime(text)?.getTime()).toBe(ms)
})

test.each([
  ['2026-02-10T12:00:00.123456789Z', 1770724800123],
  ['2026-02-10T13:00:00.5+01:00', 1770724800500],
  ['0001-01-01T00:00:00Z', undefined],
  ['not a time', undefined],
  ['', undefined],
])('%s is read as %p', (text, ms) => {
  expect(parseTime(text)?.getTime()).toBe(ms)
})
