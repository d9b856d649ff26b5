// Computes SHA-256 with a state that can be saved, so that hashing a growing transcript does not read it
// again. Platform hashers cannot be saved.
import { EntireError } from './errors.ts'

interface State {
  words: Int32Array
  /** Bytes hashed so far, the pending ones included. */
  length: number
  /** Bytes after the last whole block. */
  pending: Uint8Array
}

const blockBytes = 64
const headBytes = 40

// FIPS 180-4, 4.2.2 and 5.3.3. Signed words keep the arithmetic on machine integers.
const roundConstants = new Int32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
])
const initialWords = new Int32Array([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
])

/** The state before the first byte. */
export function sha256Start(): string {
  return encode({ words: initialWords, length: 0, pending: new Uint8Array(0) })
}

export function sha256Append(state: string, bytes: Uint8Array): string {
  return encode(append(decode(state), bytes))
}

/** The hash of everything appended so far, in hex. The state stays usable. */
export function sha256Digest(state: string): string {
  const before = decode(state)
  const zeros = (((blockBytes - 9 - before.length) % blockBytes) + blockBytes) % blockBytes
  const tail = Buffer.alloc(1 + zeros + 8)
  tail[0] = 0x80
  tail.writeBigUInt64BE(BigInt(before.length) * 8n, 1 + zeros)
  return Array.from(append(before, tail).words, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

function append(state: State, bytes: Uint8Array): State {
  const words = state.words.slice()
  let rest = bytes
  if (state.pending.length > 0) {
    const block = new Uint8Array(blockBytes)
    block.set(state.pending)
    const filled = bytes.subarray(0, blockBytes - state.pending.length)
    block.set(filled, state.pending.length)
    rest = bytes.subarray(filled.length)
    const held = state.pending.length + filled.length
    if (held < blockBytes)
      return { words, length: state.length + bytes.length, pending: block.subarray(0, held) }
    compress(words, block)
  }
  const whole = rest.length - (rest.length % blockBytes)
  compress(words, rest)
  return { words, length: state.length + bytes.length, pending: rest.subarray(whole) }
}

/**
 * Mixes the whole blocks of `bytes` into the words. Sums are cut to 32 bits after each addition: longer ones
 * become doubles, at less than half the speed.
 */
function compress(words: Int32Array, bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const schedule = new Int32Array(64)
  for (let at = 0; at + blockBytes <= bytes.length; at += blockBytes) {
    expand(schedule, view, at)
    mix(words, schedule)
  }
}

function expand(schedule: Int32Array, view: DataView, at: number): void {
  for (let i = 0; i < 16; i += 1) schedule[i] = view.getInt32(at + i * 4)
  for (let i = 16; i < 64; i += 1) {
    const early = schedule[i - 15]!
    const late = schedule[i - 2]!
    const sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
    const sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
    schedule[i] = (((schedule[i - 16]! + sigma0) | 0) + ((schedule[i - 7]! + sigma1) | 0)) | 0
  }
}

function mix(words: Int32Array, schedule: Int32Array): void {
  let a = words[0]!
  let b = words[1]!
  let c = words[2]!
  let d = words[3]!
  let e = words[4]!
  let f = words[5]!
  let g = words[6]!
  let h = words[7]!
  for (let i = 0; i < 64; i += 1) {
    const sumE = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25))) | 0
    const key = (roundConstants[i]! + schedule[i]!) | 0
    const first = (((sumE + ((e & f) ^ (~e & g))) | 0) + key) | 0
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  words[0] = words[0]! + a
  words[1] = words[1]! + b
  words[2] = words[2]! + c
  words[3] = words[3]! + d
  words[4] = words[4]! + e
  words[5] = words[5]! + f
  words[6] = words[6]! + g
  words[7] = words[7]! + h
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

// Eight words, the length as 64 bits, then the pending bytes, whose number follows from the length.
function encode(state: State): string {
  const bytes = Buffer.alloc(headBytes + state.pending.length)
  for (const [index, word] of state.words.entries()) bytes.writeInt32BE(word, index * 4)
  bytes.writeBigUInt64BE(BigInt(state.length), 32)
  bytes.set(state.pending, headBytes)
  return bytes.toString('base64')
}

function decode(text: string): State {
  const bytes = Buffer.from(text, 'base64')
  const length = bytes.length < headBytes ? Number.NaN : Number(bytes.readBigUInt64BE(32))
  if (bytes.length !== headBytes + (length % blockBytes)) {
    throw new EntireError('corrupt-state', 'The saved state of a hash is damaged.', {
      hint: 'The transcript is read again from its beginning at the next save.',
    })
  }
  const words = new Int32Array(8)
  for (let index = 0; index < 8; index++) words[index] = bytes.readInt32BE(index * 4)
  return { words, length, pending: bytes.subarray(headBytes) }
}
