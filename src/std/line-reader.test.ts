import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { lineReader } from './line-reader.ts'

function read(chunks: Buffer[], maxBytes: number) {
  const lines: string[] = []
  const tooLong: string[] = []
  const reader = lineReader(
    maxBytes,
    (line) => lines.push(line),
    (head) => tooLong.push(head),
  )
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return { lines, tooLong }
}

test('lines are the same however the chunks were cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), fc.array(fc.nat(20)), (texts, cuts) => {
      const lines = texts
        .map((text) => text.toWellFormed().replaceAll('\n', ' '))
        .filter((text) => text !== '')
      let rest = Buffer.from(lines.map((line) => `${line}\n`).join(''))
      const chunks: Buffer[] = []
      for (const cut of cuts) {
        chunks.push(rest.subarray(0, cut))
        rest = rest.subarray(cut)
      }
      expect(read([...chunks, rest], 1_000_000)).toEqual({ lines, tooLong: [] })
    }),
  )
})

test('a line that is too long is skipped, and those around it are read', () => {
  const text = `before\n${'x'.repeat(50)}\nafter\n`
  const expected = { lines: ['before', 'after'], tooLong: ['x'.repeat(50)] }
  expect(read([Buffer.from(text)], 50)).toEqual(expected)
  const pieces = [...text].map((letter) => Buffer.from(letter))
  expect(read(pieces, 50)).toEqual(expected)
  expect(read([Buffer.from(`${'x'.repeat(49)}\n`)], 50).tooLong).toEqual([])
})

test('invalid bytes do not damage the rest of the line', () => {
  const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xc3]), Buffer.from('"}\nnext\n')])
  expect(read([bytes], 1000).lines).toEqual(['{"a":"\uFFFD\uFFFD"}', 'next'])
})

test('a last line without newline is a line, too', () => {
  expect(read([Buffer.from('a\n\nb')], 1000).lines).toEqual(['a', 'b'])
})
