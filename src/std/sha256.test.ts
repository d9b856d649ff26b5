import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { EntireError } from './errors.ts'
import { sha256Append, sha256Digest, sha256Start } from './sha256.ts'

const reference = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

test('without input the digest is that of the empty string', () => {
  expect(sha256Digest(sha256Start())).toBe(reference(new Uint8Array(0)))
})

test('every length around the block boundaries is padded correctly', () => {
  for (let length = 0; length <= 260; length += 1) {
    const bytes = new Uint8Array(length).fill(0xa5)
    expect(sha256Digest(sha256Append(sha256Start(), bytes))).toBe(reference(bytes))
  }
})

test('the digest does not depend on how the input was cut', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 12 }), (pieces) => {
      const state = pieces.reduce(sha256Append, sha256Start())
      expect(sha256Digest(state)).toBe(reference(Buffer.concat(pieces)))
    }),
  )
})

test('a state survives being digested, and pieces may be windows of a larger buffer', () => {
  const backing = Buffer.from('xxhello worldxx')
  const half = sha256Append(sha256Start(), backing.subarray(2, 8))
  sha256Digest(half)
  expect(sha256Digest(sha256Append(half, backing.subarray(8, 13)))).toBe(
    reference(Buffer.from('hello world')),
  )
})

test('a large input hashes like a small one', () => {
  const bytes = new Uint8Array(3_000_001).map((_, index) => index * 31)
  expect(
    sha256Digest(sha256Append(sha256Append(sha256Start(), bytes.subarray(0, 7)), bytes.subarray(7))),
  ).toBe(reference(bytes))
})

test('a state stays small', () => {
  expect(sha256Append(sha256Start(), new Uint8Array(127)).length).toBeLessThanOrEqual(140)
})

test('a damaged state is refused', () => {
  const state = sha256Append(sha256Start(), new Uint8Array(10))
  for (const damaged of ['', 'nonsense', state.slice(0, -8), `${state.slice(0, 60)}`]) {
    expect(() => sha256Digest(damaged)).toThrow(EntireError)
  }
})
