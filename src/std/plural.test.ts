import { expect, test } from 'bun:test'
import { countOf } from './plural.ts'

test.each([
  [countOf(0, 'session'), '0 sessions'],
  [countOf(1, 'session'), '1 session'],
  [countOf(3, 'session'), '3 sessions'],
  [countOf(1, 'shadow branch', 'shadow branches'), '1 shadow branch'],
  [countOf(2, 'shadow branch', 'shadow branches'), '2 shadow branches'],
])('%s', (text, expected) => {
  expect(text).toBe(expected)
})
