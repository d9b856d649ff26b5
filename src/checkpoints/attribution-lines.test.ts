import { describe, expect, test } from 'bun:test'
import { diffLines as referenceDiff } from 'diff'
import fc from 'fast-check'
import { countLines, diffLines } from './attribution.ts'

test.each([
  ['', 0],
  ['a', 1],
  ['a\n', 1],
  ['a\nb', 2],
  ['a\nb\n', 2],
  ['\n', 1],
  ['\n\n', 2],
])('%j has %d lines', (text, lines) => {
  expect(countLines(text)).toBe(lines)
})

describe('lines added and removed', () => {
  test.each([
    ['nothing changed', 'a\nb\n', 'a\nb\n', 0, 0],
    ['from nothing', '', 'a\nb\n', 2, 0],
    ['to nothing', 'a\nb\n', '', 0, 2],
    ['appended', 'a\n', 'a\nb\nc\n', 2, 0],
    ['put in front', 'b\n', 'a\nb\n', 1, 0],
    ['removed from the middle', 'a\nb\nc\n', 'a\nc\n', 0, 1],
    ['replaced', 'a\nb\nc\n', 'a\nx\nc\n', 1, 1],
    ['nothing in common', 'a\nb\n', 'x\ny\nz\n', 3, 2],
    ['a line moved', 'a\nb\nc\n', 'b\nc\na\n', 1, 1],
    ['a repeated line removed once', 'a\na\na\n', 'a\na\n', 0, 1],
    ['the last line gains its end', 'a\nb', 'a\nb\n', 1, 1],
    ['one line extended', 'ab', 'abc', 1, 1],
    ['lines that only begin alike', '\nab\nx', '\nac\nx', 1, 1],
    ['a blank first line removed', '\na\n', 'a\n', 0, 1],
  ])('%s', (_, before, after, added, removed) => {
    expect(diffLines(before, after)).toEqual({ added, removed })
    expect(diffLines(after, before)).toEqual({ added: removed, removed: added })
  })

  test('are as few as another implementation finds', () => {
    const text = fc
      .tuple(fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 30 }), fc.boolean())
      .map(([lines, end]) => lines.join('\n') + (end ? '\n' : ''))
    const count = (parts: { value: string }[]) => parts.reduce((sum, part) => sum + countLines(part.value), 0)
    fc.assert(
      fc.property(text, text, (before, after) => {
        const parts = referenceDiff(before, after)
        expect(diffLines(before, after)).toEqual({
          added: count(parts.filter((part) => part.added)),
          removed: count(parts.filter((part) => part.removed)),
        })
      }),
      { numRuns: 500 },
    )
  })
})

describe('large texts', () => {
  const lines = (count: number, name: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => `${name(index)}\n`).join('')
  test('one changed line in a long file is found', () => {
    const before = lines(200_000, (index) => `line ${index}`)
    expect(diffLines(before, before.replace('line 100000\n', 'changed\n'))).toEqual({ added: 1, removed: 1 })
  })

  test('a file rewritten with new lines needs no search', () => {
    expect(
      diffLines(
        lines(100_000, (index) => `old ${index}`),
        lines(90_000, (index) => `new ${index}`),
      ),
    ).toEqual({ added: 90_000, removed: 100_000 })
  })

  test('the search in a shuffled file is given up, and the file counts as replaced', () => {
    const shuffled = lines(60_000, (index) => String((index * 7919) % 60_000))
    expect(diffLines(lines(60_000, String), shuffled)).toEqual({ added: 59_999, removed: 59_999 })
  })
})
