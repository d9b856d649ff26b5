// Tables line up and fit.
import { expect, test } from 'bun:test'
import { fit, tableLines } from './text.ts'

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

test('a line is cut where the terminal ends, in the middle of nothing', () => {
  expect(fit('abcdef', 6)).toBe('abcdef')
  expect(fit('abcdefg', 6)).toBe('abcde…')
  expect(fit('漢字漢字', 6)).toBe('漢字…')
  expect(fit('\x1b[32mabcdefgh\x1b[39m', 4)).toBe('\x1b[32mabc\x1b[39m…')
})
