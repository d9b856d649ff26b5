import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { clean, cleanLines, cut, fit, tableLines } from './text.ts'

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

test('no text leaves a control character, or exceeds its length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 4, max: 80 }), (text, length) => {
      const shown = cut(text, length)
      expect(shown).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
      expect([...shown].length).toBeLessThanOrEqual(length)
    }),
  )
})

test('columns line up, also with wide characters and colours', () => {
  const rows = [
    ['id', 'name', 'n'],
    ['1', '漢字', '10'],
    ['22', '\x1b[32mok\x1b[39m', '5'],
  ]
  expect(tableLines(rows, { right: [2] })).toEqual([
    'id  name   n',
    '1   漢字  10',
    '22  \x1b[32mok\x1b[39m     5',
  ])
})

test('a line is cut to the width, and never inside a character or a colour code', () => {
  expect(fit('abcdef', 6)).toBe('abcdef')
  expect(fit('abcdefg', 6)).toBe('abcde…')
  expect(fit('漢字漢字', 6)).toBe('漢字…')
  expect(fit('\x1b[32mabcdefgh\x1b[39m', 4)).toBe('\x1b[32mabc\x1b[39m…')
})
