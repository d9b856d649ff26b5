// Stored transcripts on their way back to a file: piece by piece, since they may be larger than is wise to hold.

import { joinStored } from '../checkpoints/cut-document.ts'
import { fetchCommand } from '../checkpoints/places.ts'
import { findTranscriptPieces, readHash, type StoredSession } from '../checkpoints/read.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import type { Agent } from '../model/agent.ts'
import { EntireError } from '../std/errors.ts'
import { asObject, parseJson } from '../std/json.ts'
import { lastTimeIn } from './restore-time.ts'

export const newline = 0x0a
/** Enough to see whether a transcript is a document or lines. */
export const headBytes = 64 * 1024

/** The beginning of a transcript. */
export async function readHead(objects: ObjectReader, pieces: Oid[]): Promise<string> {
  return (await readPiece(objects, pieces[0] as Oid)).subarray(0, headBytes).toString('utf8')
}

/** Whether all of it is here. */
export async function isWhole(objects: ObjectReader, pieces: Oid[]): Promise<boolean> {
  const found = await Promise.all(pieces.map((piece) => objects.info(piece)))
  return found.every((object) => object !== undefined)
}

/** A form that one version kept instead of what the agent wrote: good to read, but no agent can go on with it. */
export function isDigest(head: string): boolean {
  const first = asObject(parseJson(head.slice(0, head.indexOf('\n') + 1 || undefined)))
  return first?.v === 1 && typeof first.agent === 'string' && Array.isArray(first.content)
}

/** When the last entry was written, from the last pieces only. */
export async function readLastStoredTime(objects: ObjectReader, pieces: Oid[]): Promise<Date | undefined> {
  for (const piece of pieces.toReversed()) {
    const time = lastTimeIn(await readPiece(objects, piece))
    if (time !== undefined) return time
  }
  return undefined
}

/** Lines end with a newline, or the next thing the agent writes would continue the last of them. */
export async function copyTranscript(
  objects: ObjectReader,
  { session, agent }: { session: StoredSession; agent: Agent },
  write: (bytes: Uint8Array) => void,
): Promise<void> {
  const pieces = await findTranscriptPieces(objects, session)
  const shape = agent.transcript.shape(await readHead(objects, pieces))
  if (shape === 'document' || agent.pieces !== undefined) return write(await readWhole(objects, session, pieces, agent))
  let ended = true
  for (const [index, piece] of pieces.entries()) {
    const content = await readPiece(objects, piece)
    if (index > 0) write(Buffer.of(newline))
    write(content)
    ended = content.at(-1) === newline
  }
  if (!ended) write(Buffer.of(newline))
}

// The pieces of an agent that cuts them itself may look like anything; only the whole tells whether it is lines.
async function readWhole(objects: ObjectReader, session: StoredSession, pieces: Oid[], agent: Agent): Promise<Buffer> {
  const contents = await Promise.all(pieces.map((piece) => readPiece(objects, piece)))
  const whole = await joinStored(contents, agent.pieces && (await readHash(objects, session)), agent.pieces)
  const isEnded = whole.at(-1) === newline || agent.transcript.shape(whole.subarray(0, headBytes).toString('utf8')) === 'document'
  return isEnded ? whole : Buffer.concat([whole, Buffer.of(newline)])
}

async function readPiece(objects: ObjectReader, oid: Oid): Promise<Buffer> {
  const found = await objects.contents(oid).catch((error: unknown) => {
    throw incomplete(error)
  })
  if (found === undefined) throw incomplete()
  return found.content
}

// A partial clone asks its remote for what is missing, which may be out of reach.
export function incomplete(cause?: unknown): EntireError {
  const why = cause instanceof EntireError ? ` ${cause.message}` : ''
  return new EntireError('transcript-missing', `A part of the stored session log is missing in this repository.${why}`, {
    hint: `Run \`${fetchCommand}\` where the remote can be reached, then try again.`,
    cause,
  })
}
