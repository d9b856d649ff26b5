import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { localTime, timeAgo } from './numbers.ts'
import { clean, cleanLines, cut } from './text.ts'

test.each([
  ['plain', 'plain'],
  ['two\nlines', 'two lines'],
  ['\x1b[31mred\x1b[0m', 'red'],
  ['\x1b]0;title\x07text', 'text'],
  ['\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\', 'link'],
  ['a\u202eb', 'a b'],
  ['ünïcödé 🐷', 'ünïcödé 🐷'],
])('control sequences do not reach the terminal: %j', (text, shown) => {
  expect(clean(text)).toBe(shown)
})

test('text of several lines keeps them and their indentation', () => {
  expect(cleanLines('one\n  \x1b[2Jtwo\r\n\tthree\x07')).toBe('one\n  two \n three ')
})

test('whatever the text, no control character is left and the length is kept', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 4, max: 80 }), (text, length) => {
      const shown = cut(text, length)
      expect(shown).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
      expect([...shown].length).toBeLessThanOrEqual(length)
    }),
  )
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

test('a time that cannot be read is shown as it is', () => {
  expect(localTime('soon')).toBe('soon')
  expect(localTime('2026-02-10T12:00:00Z')).toMatch(/^2026-02-1\d \d\d:00:00$/)
})
