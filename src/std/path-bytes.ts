// File names are bytes. Valid UTF-8 becomes a plain string; any other byte travels as a lone surrogate (U+DC80–U+DCFF), so nothing is lost.
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

/** What file system calls take: a string where possible, bytes where the name is not UTF-8. */
export function nativePath(path: string): string | Buffer {
  return loneByte.test(path) ? encodePath(path) : path
}

/** The same for a path below a directory. Not by `node:path`: Bun's `join` and its kin replace lone surrogates, so the name would be lost. */
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

// A name may hold a replacement character of its own, so its presence alone proves nothing.
function decodeUtf8(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return text.includes(replacement) && !Buffer.from(text, 'utf8').equals(bytes) ? undefined : text
}

function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1
  if (lead < 0xe0) return 2
  return lead < 0xf0 ? 3 : 4
}
