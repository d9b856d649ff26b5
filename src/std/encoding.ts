// Decodes file names and texts in any encoding, and encodes them to the same bytes again.

import { isUtf8 } from 'node:buffer'

// File names are bytes. Valid UTF-8 becomes a plain string; any other byte becomes a lone surrogate
// (U+DC80–U+DCFF), so that nothing is lost.

const replacement = '\uFFFD'
const loneByte = /[\uDC80-\uDCFF]/u

export function decodePath(bytes: Uint8Array): string {
  return decodeUtf8(bytes) ?? decodeBytewise(bytes)
}

export function encodePath(path: string): Buffer {
  if (!loneByte.test(path)) return Buffer.from(path, 'utf8')
  const parts: Buffer[] = []
  for (const char of path) {
    const code = char.codePointAt(0) as number
    parts.push(code >= 0xdc80 && code <= 0xdcff ? Buffer.of(code - 0xdc00) : Buffer.from(char, 'utf8'))
  }
  return Buffer.concat(parts)
}

/** The path for file system calls: a string where possible, bytes where the name is not UTF-8. */
export function nativePath(path: string): string | Buffer {
  return loneByte.test(path) ? encodePath(path) : path
}

/**
 * The same for a path below a directory. `node:path` cannot be used: Bun's `join` replaces lone surrogates.
 */
export function nativePathIn(dir: string, path: string): string | Buffer {
  return nativePath(path === '' ? dir : `${dir}/${path}`)
}

function decodeBytewise(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] as number
    const length = sequenceLength(lead)
    const char = decodeUtf8(bytes.subarray(at, at + length))
    text += char ?? String.fromCharCode(0xdc00 + lead)
    at += char === undefined ? 1 : length
  }
  return text
}

// A name may contain a replacement character of its own, so its presence alone proves nothing.
function decodeUtf8(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return text.includes(replacement) && !Buffer.from(text, 'utf8').equals(bytes) ? undefined : text
}

function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1
  if (lead < 0xe0) return 2
  return lead < 0xf0 ? 3 : 4
}

interface Encoding {
  fits(bytes: Buffer): boolean
  decode(bytes: Buffer): string
  encode(text: string): Buffer
}

const hasMark = (first: number, second: number) => (bytes: Buffer) =>
  bytes.length % 2 === 0 && bytes[0] === first && bytes[1] === second

const encodings: Encoding[] = [
  { fits: isUtf8, decode: (bytes) => bytes.toString('utf8'), encode: (text) => Buffer.from(text, 'utf8') },
  {
    fits: hasMark(0xff, 0xfe),
    decode: (bytes) => bytes.toString('utf16le'),
    encode: (text) => Buffer.from(text, 'utf16le'),
  },
  {
    fits: hasMark(0xfe, 0xff),
    decode: (bytes) => Buffer.from(bytes).swap16().toString('utf16le'),
    encode: (text) => Buffer.from(text, 'utf16le').swap16(),
  },
  { fits: () => true, decode: decodeMixed, encode: encodeMixed },
]

/** Changes a text and keeps its encoding; unchanged parts become the same bytes again. */
export async function changeText(
  bytes: Buffer,
  change: (text: string) => string | Promise<string>,
): Promise<Buffer> {
  const { decode, encode } = encodings.find(({ fits }) => fits(bytes)) as Encoding
  return encode(await change(decode(bytes)))
}

// Any other text is decoded as UTF-8 where it is valid; other bytes become lone surrogates, as in file names.
const wellFormed =
  '(?:[\\xc2-\\xdf]|\\xe0[\\xa0-\\xbf]|[\\xe1-\\xec\\xee\\xef][\\x80-\\xbf]|\\xed[\\x80-\\x9f]|' +
  '\\xf0[\\x90-\\xbf][\\x80-\\xbf]|[\\xf1-\\xf3][\\x80-\\xbf]{2}|\\xf4[\\x80-\\x8f][\\x80-\\xbf])[\\x80-\\xbf]'
const beyondAscii = new RegExp(`(?:${wellFormed})+|[\\x80-\\xff]`, 'g')

function decodeMixed(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(beyondAscii, (part) =>
      part.length === 1
        ? String.fromCharCode(0xdc00 + part.charCodeAt(0))
        : Buffer.from(part, 'latin1').toString('utf8'),
    )
}

function encodeMixed(text: string): Buffer {
  const latin1 = text.replace(/[^\x00-\x7f]/gu, (char) => {
    const code = char.codePointAt(0) as number
    return code >= 0xdc80 && code <= 0xdcff
      ? String.fromCharCode(code - 0xdc00)
      : Buffer.from(char, 'utf8').toString('latin1')
  })
  return Buffer.from(latin1, 'latin1')
}
