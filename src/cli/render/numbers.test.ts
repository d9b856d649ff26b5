import { expect, test } from 'bun:test'
import { noTokens } from '../../model/tokens.ts'
import { formatCount, localTime, timeAgo, tokensText } from './numbers.ts'

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1k'],
  [1234, '1.2k'],
  [12_000, '12k'],
  [999_949, '999.9k'],
  [999_950, '1M'],
  [3_400_000, '3.4M'],
])('%d tokens are %s', (count, text) => {
  expect(formatCount(count)).toBe(text)
})

test('no tokens give no text', () => {
  expect(tokensText(undefined)).toBeUndefined()
  expect(tokensText(noTokens)).toBeUndefined()
  expect(tokensText({ ...noTokens, output: 5, subagents: { ...noTokens, input: 1500 } })).toBe('1.5k')
})

test.each([
  [30, 'just now'],
  [60, '1m ago'],
  [3599, '59m ago'],
  [3600, '1h ago'],
  [86_399, '23h ago'],
  [86_400 * 3, '3d ago'],
  [-5, 'just now'],
])('%d seconds are %s', (seconds, text) => {
  const now = new Date('2026-02-10T12:00:00Z')
  expect(timeAgo(new Date(now.getTime() - seconds * 1000), now)).toBe(text)
})

test('an invalid time is shown unchanged', () => {
  expect(localTime('soon')).toBe('soon')
  expect(localTime('2026-02-10T12:00:00Z')).toMatch(/^2026-02-1\d \d\d:00:00$/)
})
