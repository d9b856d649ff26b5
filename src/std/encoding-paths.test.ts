import { expect, test } from 'bun:test'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import fc from 'fast-check'
import { tempDir } from '../../test/support/repo.ts'
import { decodePath, encodePath, nativePath, nativePathIn } from './encoding.ts'

const tricky = fc.oneof(
  fc.uint8Array({ maxLength: 24 }),
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => new Uint8Array(Buffer.from(text, 'utf8'))),
)

test('any bytes survive decoding and encoding', () => {
  fc.assert(
    fc.property(fc.array(tricky, { maxLength: 4 }), (parts) => {
      const bytes = Buffer.concat(parts)
      expect(encodePath(decodePath(bytes)).equals(bytes)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('valid UTF-8 is a plain string, whatever it contains', () => {
  const wellFormed = fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed())
  fc.assert(
    fc.property(wellFormed, (text) => {
      expect(decodePath(Buffer.from(text, 'utf8'))).toBe(text)
      expect(nativePath(text)).toBe(text)
    }),
  )
})

test.each([
  ['a replacement character of its own', Buffer.from('a\uFFFDb'), 'a\uFFFDb'],
  ['a byte order mark', Buffer.from('\uFEFFa'), '\uFEFFa'],
  ['Latin-1', Buffer.from('caf\xe9', 'latin1'), 'caf\udce9'],
  ['a cut sequence', Buffer.of(0xe2, 0x82), '\udce2\udc82'],
  ['a surrogate encoded by itself', Buffer.of(0xed, 0xb2, 0x80), '\udced\udcb2\udc80'],
  ['an overlong slash', Buffer.of(0xc0, 0xaf), '\udcc0\udcaf'],
  ['an emoji whose second half looks like a lone byte', Buffer.from('💩'), '💩'],
])('%s', (_, bytes, text) => {
  expect(decodePath(bytes)).toBe(text)
  expect(encodePath(text).equals(bytes)).toBe(true)
})

test('the file system calls in use accept names that are not UTF-8', async () => {
  await using dir = tempDir()
  const place = (path: string) => nativePathIn(dir.base, path)
  mkdirSync(place('d\udcff'))
  writeFileSync(place('d\udcff/f\udce9'), 'content')
  symlinkSync(encodePath('to\udcfe'), place('d\udcff/l\udc80'))
  expect(readFileSync(place('d\udcff/f\udce9'), 'utf8')).toBe('content')
  expect(lstatSync(place('d\udcff/l\udc80')).isSymbolicLink()).toBe(true)
  expect(decodePath(readlinkSync(place('d\udcff/l\udc80'), { encoding: 'buffer' }))).toBe('to\udcfe')
  expect(readdirSync(place('d\udcff'), { encoding: 'buffer' }).map(decodePath).sort()).toEqual([
    'f\udce9',
    'l\udc80',
  ])
})
