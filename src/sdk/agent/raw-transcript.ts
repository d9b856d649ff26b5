// Transcripts that nobody looks into. Positions are numbers of bytes.
import { Buffer } from 'node:buffer'
import { addCounts } from './read-items.ts'
import type { Transcript } from './transcript.ts'

export const rawTranscript: Transcript = {
  analyses: false,
  countsTokens: false,
  position: (bytes) => bytes.length,
  read: () => ({ files: [], prompts: [], tokens: addCounts([]) }),
  chunk: (bytes, max) => {
    const pieces = Array.from({ length: Math.ceil(bytes.length / max) }, (_, index) => bytes.subarray(index * max, (index + 1) * max))
    return pieces.length === 0 ? [bytes] : pieces
  },
  join: (chunks) => Buffer.concat(chunks),
}
