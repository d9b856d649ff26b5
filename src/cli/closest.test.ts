import { expect, test } from 'bun:test'
import { closest } from './closest.ts'

test.each([
  ['a letter too few', 'stratgy', ['strategy', 'status'], ['strategy']],
  ['a letter too many', 'statuss', ['strategy', 'status'], ['status']],
  ['a wrong letter', 'enabke', ['enable', 'disable'], ['enable']],
  ['two swapped', 'lgo', ['log', 'long'], ['log']],
  ['nothing alike', 'xyz', ['log', 'long'], []],
  ['nearest first', 'logs', ['longs', 'logs'], ['logs', 'longs']],
  ['letter case does not matter', 'ENABLE', ['enable'], ['enable']],
] as const)('%s', (_rule, word, candidates, expected) =>
  expect(closest(word, candidates)).toEqual([...expected]),
)
