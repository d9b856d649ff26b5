// Cuts what arrives into lines, however it was cut on its way. A line that is too long is skipped up to its end, and told of.
import { Buffer } from 'node:buffer'
import { StringDecoder } from 'node:string_decoder'

const newline = 10

export interface LineReader {
  push(chunk: Buffer): void
  /** What came without a last newline is a line as well. */
  end(): void
}

/** `tooLong` gets the beginning of the line, in which the id of the message may still be seen. */
export function lineReader(
  maxBytes: number,
  onLine: (line: string) => void,
  tooLong: (head: string) => void,
): LineReader {
  let parts: Buffer[] = []
  let size = 0
  let skipping = false

  const take = (part: Buffer) => {
    if (skipping) return
    size += part.length
    parts.push(part)
    if (size < maxBytes) return
    skipping = true
    tooLong(decode([Buffer.concat(parts).subarray(0, 4096)]))
    parts = []
  }
  const finish = () => {
    if (!skipping && size > 0) onLine(decode(parts))
    parts = []
    size = 0
    skipping = false
  }
  return {
    push(chunk) {
      let start = 0
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        take(chunk.subarray(start, end))
        finish()
        start = end + 1
      }
      if (start < chunk.length) take(chunk.subarray(start))
    },
    end: finish,
  }
}

// Bytes that are no text become marks that say so; the rest of the line is still read.
function decode(parts: Buffer[]): string {
  const decoder = new StringDecoder('utf8')
  return parts.map((part) => decoder.write(part)).join('') + decoder.end()
}
