import { expect, test } from 'bun:test'
import {
  ambiguousPrefix,
  cannotCombine,
  didYouMean,
  EntireError,
  invalidValue,
  messageWithHint,
  notFound,
  requires,
  unknownName,
  useOneOf,
} from './errors.ts'

test.each([
  [notFound('checkpoint', '3f2a'), 'not-found', 'checkpoint not found: 3f2a'],
  [unknownName('command', 'enble'), 'bad-usage', 'Unknown command "enble"'],
  [unknownName('agent', 'claud', '', 'unknown-agent'), 'unknown-agent', 'Unknown agent "claud"'],
  [
    ambiguousPrefix('session', '3f', ['3f01', '3f02']),
    'bad-id',
    'ambiguous session prefix "3f" matches 2 sessions: 3f01, 3f02',
  ],
  [
    ambiguousPrefix('step', 'a', ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']),
    'bad-id',
    'ambiguous step prefix "a" matches 6 steps: a1, a2, a3, a4, a5, …',
  ],
  [invalidValue('soon', '--timeout'), 'bad-usage', '"soon" is not a valid value for --timeout'],
  [cannotCombine(['--a', '--b']), 'bad-usage', '--a and --b cannot be used together'],
  [cannotCombine(['--a', '--b', '--c']), 'bad-usage', '--a, --b and --c cannot be used together'],
  [requires('--force', '--reset'), 'bad-usage', '--force requires --reset'],
])('%s', (error, code, message) => {
  expect(error).toMatchObject({ code, message })
})

test.each([
  [useOneOf(['debug', 'info']), 'Use one of: debug, info.'],
  [useOneOf(['debug', 'info'], ['info']), 'Use one of: debug, info. Did you mean info?'],
  [didYouMean(['a']), 'Did you mean a?'],
  [didYouMean(['a', 'b', 'c']), 'Did you mean a, b or c?'],
])('a hint: %s', (hint, expected) => {
  expect(hint).toBe(expected)
})

test('a message that ends in a value gets a full stop before its hint', () => {
  expect(messageWithHint(notFound('session', 'x', 'Type more.'))).toBe('session not found: x. Type more.')
  expect(messageWithHint(new EntireError('busy', 'It is busy.', { hint: 'Wait.' }))).toBe('It is busy. Wait.')
  expect(messageWithHint(notFound('session', 'x'))).toBe('session not found: x')
})
