// Splits incoming chunks into lines. A line that is too long is skipped up to its end and reported.
import { Buffer } from 'node:buffer'
import { StringDecoder } from 'node:string_decoder'

const newline = 10

export interface LineReader {
  push(chunk: Buffer): void
  /** Reports a last line without newline. */
  end(): void
}

/** `tooLong` receives the beginning of the line, from which the id of the message may still be read. */
export function lineReader(
  maxBytes: number,
  onLine: (line: string) => void,
  tooLong: (head: string) => void,
): LineReader {
  let parts: Buffer[] = []
  let size = 0
  let isSkipping = false

  const take = (part: Buffer) => {
    if (isSkipping) return
    size += part.length
    parts.push(part)
    if (size < maxBytes) return
    isSkipping = true
    tooLong(decode([Buffer.concat(parts).subarray(0, 4096)]))
    parts = []
  }
  const finish = () => {
    if (!isSkipping && size > 0) onLine(decode(parts))
    parts = []
    size = 0
    isSkipping = false
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

// Invalid bytes become replacement characters; the rest of the line is still read.
function decode(parts: Buffer[]): string {
  const decoder = new StringDecoder('utf8')
  return parts.map((part) => decoder.write(part)).join('') + decoder.end()
}
