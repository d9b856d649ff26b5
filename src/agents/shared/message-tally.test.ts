import { expect, test } from 'bun:test'
import { type MessageTally, messageTally } from './message-tally.ts'

const usage = (output: number) => ({ input: 10, cacheCreation: 0, cacheRead: 0, output, calls: 1 })
const at = (second: number) => new Date(second * 1000).toISOString()

function meetAll(tally: MessageTally, from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => {
    const met = tally.meet(`m${from + index}`, at(from + index))
    tally.count(`m${from + index}`, usage(1))
    return met
  })
}

test('a message counts once, with the largest of its counts', () => {
  const tally = messageTally(undefined)
  for (const output of [1, 20, 7]) {
    tally.meet('a', '')
    tally.count('a', usage(output))
  }
  expect(tally.tokens).toEqual({ input: 10, cacheCreation: 0, cacheRead: 0, output: 20, calls: 1 })
})

test('a later tally continues from the carry', () => {
  const first = messageTally(undefined)
  first.meet('a', at(1))
  first.count('a', usage(5))
  const second = messageTally(first.carry())
  expect(second.meet('a', at(1))).toBe('known')
  second.count('a', usage(8))
  expect(second.tokens).toEqual({ input: 0, cacheCreation: 0, cacheRead: 0, output: 3, calls: 0 })
})

test('a repeated conversation is not counted again, and the carry stays small', () => {
  const first = messageTally(undefined)
  expect(new Set(meetAll(first, 0, 500))).toEqual(new Set(['new']))
  const second = messageTally(first.carry())
  expect(new Set(meetAll(second, 0, 500))).toEqual(new Set(['old', 'known']))
  expect(meetAll(second, 500, 501)).toEqual(['new'])
  expect(second.tokens.calls).toBe(1)
  expect(JSON.stringify(second.carry()).length).toBeLessThan(4096)
})

test('messages with the same time are told apart by their ids', () => {
  const tally = messageTally(undefined)
  const ids = Array.from({ length: 50 }, (_, index) => `m${index}`)
  expect(ids.map((id) => tally.meet(id, at(1)))).toEqual(ids.map(() => 'new'))
})

test('the readable part of a carry of another version is used', () => {
  const tally = messageTally({
    messages: [null, 7, ['a'], [{}, 1], ['b', 3, 'x', null]],
    forgotten: 12,
    edge: { a: 1 },
  })
  expect([tally.meet('a', ''), tally.meet('b', ''), tally.meet('c', '')]).toEqual(['known', 'known', 'new'])
})
