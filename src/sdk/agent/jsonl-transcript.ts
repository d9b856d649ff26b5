// Transcripts with one JSON value per line, growing at the end. Positions are numbers of lines.
import { Buffer } from 'node:buffer'
import { readItems } from './read-items.ts'
import type { ItemReader, Transcript } from './transcript.ts'

const newline = 0x0a

// biome-ignore lint/suspicious/noExplicitAny: the author knows what the lines hold, and gets to name their type.
export function jsonlTranscript<Line = any>(reader: ItemReader<Line>): Transcript {
  return {
    analyses: Boolean(reader.prompt || reader.files || reader.summary),
    countsTokens: reader.tokens !== undefined,
    position: (bytes) => splitLines(bytes).length,
    read: (bytes, from) => readItems(splitLines(bytes).slice(from).flatMap(parseLine) as Line[], reader),
    chunk: chunkLines,
    join: joinLines,
  }
}

/** Complete lines, blank ones included: a position counts them too. The last one need not end in a newline if it is whole. */
export function splitLines(bytes: Uint8Array): string[] {
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8').split('\n')
  const last = lines.pop() ?? ''
  return last !== '' && parseLine(last).length > 0 ? [...lines, last] : lines
}

function parseLine(line: string): unknown[] {
  try {
    const value: unknown = JSON.parse(line)
    return value === null ? [] : [value]
  } catch {
    return []
  }
}

/**
 * Cuts at line ends. The newline at a cut belongs to no piece, so that pieces joined by newlines give the transcript back: everybody
 * who stores lines joins them that way, also without this plugin.
 */
export function chunkLines(bytes: Buffer, max: number): Buffer[] {
  const pieces: Buffer[] = []
  let start = 0
  while (bytes.length - start > max) {
    const within = bytes.lastIndexOf(newline, Math.min(start + max, bytes.length - 2))
    const cut = within >= start ? within : bytes.indexOf(newline, start)
    if (cut === -1 || cut === bytes.length - 1) break
    pieces.push(bytes.subarray(start, cut))
    start = cut + 1
  }
  return [...pieces, bytes.subarray(start)]
}

function joinLines(chunks: Buffer[]): Buffer {
  const between = Buffer.from('\n')
  return Buffer.concat(chunks.flatMap((chunk, index) => (index === 0 ? [chunk] : [between, chunk])))
}
