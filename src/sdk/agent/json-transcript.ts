// Transcripts that are one JSON document with a list of messages, written anew each time. Positions are numbers of messages.
import { Buffer } from 'node:buffer'
import { findListItems } from './list-items.ts'
import { readItems } from './read-items.ts'
import type { ItemReader, Transcript } from './transcript.ts'

/** `list`: the key of the messages at the top of the document; a document that is a list itself needs none. */
// biome-ignore lint/suspicious/noExplicitAny: the author knows what the messages hold, and gets to name their type.
export function jsonTranscript<Message = any>(reader: ItemReader<Message> & { list?: string }): Transcript {
  const list = reader.list ?? 'messages'
  const messagesOf = (bytes: Buffer) => readMessages(bytes, list) as Message[]
  return {
    analyses: Boolean(reader.prompt || reader.files || reader.summary),
    countsTokens: reader.tokens !== undefined,
    position: (bytes) => messagesOf(bytes).length,
    read: (bytes, from) => readItems(messagesOf(bytes).slice(from), reader),
    chunk: (bytes, max) => cutBetween(bytes, findListItems(bytes, list), max),
    join: (chunks) => Buffer.concat(chunks),
  }
}

function readMessages(bytes: Buffer, list: string): unknown[] {
  if (bytes.length === 0) return []
  const value: unknown = JSON.parse(bytes.toString('utf8'))
  const messages = Array.isArray(value) ? value : (value as Record<string, unknown> | null)?.[list]
  return Array.isArray(messages) ? messages : []
}

/** Pieces that end where a message ends. Each byte is in exactly one of them. */
function cutBetween(bytes: Buffer, cuts: number[], max: number): Buffer[] {
  const pieces: Buffer[] = []
  let start = 0
  for (const [index, cut] of cuts.entries()) {
    const next = cuts[index + 1] ?? bytes.length
    if (next - start <= max || cut === start) continue
    pieces.push(bytes.subarray(start, cut))
    start = cut
  }
  return [...pieces, bytes.subarray(start)]
}
