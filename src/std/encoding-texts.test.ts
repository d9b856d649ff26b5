import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { changeText } from './encoding.ts'

const mark = fc.constantFrom<number[][]>([], [0xff, 0xfe], [0xfe, 0xff], [0xef, 0xbb, 0xbf])
const some = fc.array(fc.oneof(fc.nat(255), fc.constantFrom(0x0a, 0xc3, 0xa4, 0xed, 0xd8)), { maxLength: 60 })

test('unchanged text becomes the same bytes again', async () => {
  await fc.assert(
    fc.asyncProperty(mark, some, async (first, rest) => {
      const bytes = Buffer.from([...first, ...rest])
      expect((await changeText(bytes, (text) => text)).equals(bytes)).toBe(true)
    }),
    { seed: 7, numRuns: 500 },
  )
})

test.each<[string, Buffer, Buffer]>([
  ['UTF-8', Buffer.from('schöner Schlüssel'), Buffer.from('schöner XXX')],
  ['Latin-1', Buffer.from('schöner Schlüssel\nä', 'latin1'), Buffer.from('schöner XXX\nä', 'latin1')],
  ['UTF-16', Buffer.from('\uFEFFö Schlüssel', 'utf16le'), Buffer.from('\uFEFFö XXX', 'utf16le')],
  [
    'UTF-16, big-endian',
    Buffer.from('\uFEFFö Schlüssel', 'utf16le').swap16(),
    Buffer.from('\uFEFFö XXX', 'utf16le').swap16(),
  ],
])('a change keeps the encoding: %s', async (_title, before, after) => {
  expect((await changeText(before, (text) => text.replace(/Schl.*?ssel/u, 'XXX'))).toString('hex')).toBe(
    after.toString('hex'),
  )
})
