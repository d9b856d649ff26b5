import { expect, test } from 'bun:test'
import { noTokens } from '../../model/tokens.ts'
import { formatCount, tokensText } from './numbers.ts'

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

test('no tokens are nothing to say', () => {
  expect(tokensText(undefined)).toBeUndefined()
  expect(tokensText(noTokens)).toBeUndefined()
  expect(tokensText({ ...noTokens, output: 5, subagents: { ...noTokens, input: 1500 } })).toBe('1.5k')
})
