// Text in the encoding of whoever wrote it: it can be looked at and changed, and what was not changed becomes the same bytes again.
import { isUtf8 } from 'node:buffer'

interface Encoding {
  fits(bytes: Buffer): boolean
  decode(bytes: Buffer): string
  encode(text: string): Buffer
}

const marked = (first: number, second: number) => (bytes: Buffer) => bytes.length % 2 === 0 && bytes[0] === first && bytes[1] === second

const encodings: Encoding[] = [
  { fits: isUtf8, decode: (bytes) => bytes.toString('utf8'), encode: (text) => Buffer.from(text, 'utf8') },
  { fits: marked(0xff, 0xfe), decode: (bytes) => bytes.toString('utf16le'), encode: (text) => Buffer.from(text, 'utf16le') },
  {
    fits: marked(0xfe, 0xff),
    decode: (bytes) => Buffer.from(bytes).swap16().toString('utf16le'),
    encode: (text) => Buffer.from(text, 'utf16le').swap16(),
  },
  { fits: () => true, decode: decodeMixed, encode: encodeMixed },
]

/** Changes text and leaves its encoding as it is. */
export async function changeText(bytes: Buffer, change: (text: string) => string | Promise<string>): Promise<Buffer> {
  const { decode, encode } = encodings.find(({ fits }) => fits(bytes)) as Encoding
  return encode(await change(decode(bytes)))
}

// Anything else has UTF-8 where it can be that; its other bytes travel as lone surrogates, as they do in names of files.
const wellFormed =
  '(?:[\\xc2-\\xdf]|\\xe0[\\xa0-\\xbf]|[\\xe1-\\xec\\xee\\xef][\\x80-\\xbf]|\\xed[\\x80-\\x9f]|' +
  '\\xf0[\\x90-\\xbf][\\x80-\\xbf]|[\\xf1-\\xf3][\\x80-\\xbf]{2}|\\xf4[\\x80-\\x8f][\\x80-\\xbf])[\\x80-\\xbf]'
const beyondAscii = new RegExp(`(?:${wellFormed})+|[\\x80-\\xff]`, 'g')

function decodeMixed(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(beyondAscii, (part) =>
      part.length === 1 ? String.fromCharCode(0xdc00 + part.charCodeAt(0)) : Buffer.from(part, 'latin1').toString('utf8'),
    )
}

function encodeMixed(text: string): Buffer {
  const latin1 = text.replace(/[^\x00-\x7f]/gu, (char) => {
    const code = char.codePointAt(0) as number
    return code >= 0xdc80 && code <= 0xdcff ? String.fromCharCode(code - 0xdc00) : Buffer.from(char, 'utf8').toString('latin1')
  })
  return Buffer.from(latin1, 'latin1')
}
