// Finds where the messages of a JSON document end, in its bytes: parsing and printing again would not give the same bytes.

const quote = 0x22
const backslash = 0x5c

/** Positions after the commas of the list at the top-level key, or of the document if it is a list. In anything else: after newlines. */
export function findListItems(bytes: Buffer, key: string): number[] {
  return scan(bytes, key) ?? afterNewlines(bytes)
}

function scan(bytes: Buffer, key: string): number[] | undefined {
  const first = bytes.find((byte) => byte > 0x20)
  if (first !== 0x7b && first !== 0x5b) return undefined
  const listDepth = first === 0x5b ? 1 : 2
  const cuts: number[] = []
  let inside = first === 0x5b
  let depth = 0
  let name = ''
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) {
      const end = stringEnd(bytes, at)
      if (end === -1) return undefined
      if (depth === 1) name = bytes.toString('utf8', at + 1, end)
      at = end
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1
      if (listDepth === 2 && depth === 2) inside = byte === 0x5b && name === key
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1
      if (depth < listDepth && listDepth === 2) inside = false
    } else if (byte === 0x2c && inside && depth === listDepth) {
      cuts.push(at + 1)
    }
  }
  return depth === 0 ? cuts : undefined
}

function stringEnd(bytes: Buffer, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at < bytes.length ? at : -1
}

function afterNewlines(bytes: Buffer): number[] {
  const cuts: number[] = []
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) cuts.push(at + 1)
  return cuts
}
