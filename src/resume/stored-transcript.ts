// Reads the stored transcript of a session piece by piece, because it may be too large to hold in memory.

import { fetchCommand } from '../checkpoints/copies.ts'
import { findTranscriptPieces, readHash, type StoredSession } from '../checkpoints/read.ts'
import { joinStored } from '../checkpoints/transcript-chunks.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import type { Agent } from '../model/agent.ts'
import { EntireError } from '../std/errors.ts'
import { asObject, parseJson } from '../std/json.ts'
import { lastTimeIn } from './last-time.ts'

export const newline = 0x0a
/** Enough to see whether a transcript is a document or lines. */
export const headBytes = 64 * 1024

/** The beginning of a transcript. */
export async function readBeginning(objects: ObjectReader, pieces: Oid[]): Promise<string> {
  return (await readPiece(objects, pieces[0] as Oid)).subarray(0, headBytes).toString('utf8')
}

/** True when this repository has all pieces. */
export async function isWhole(objects: ObjectReader, pieces: Oid[]): Promise<boolean> {
  const found = await Promise.all(pieces.map((piece) => objects.info(piece)))
  return found.every((object) => object !== undefined)
}

/**
 * True for the digest that one version stored instead of the transcript: people can read it, but no agent can
 * continue it.
 */
export function isDigest(head: string): boolean {
  const first = asObject(parseJson(head.slice(0, head.indexOf('\n') + 1 || undefined)))
  return first?.v === 1 && typeof first.agent === 'string' && Array.isArray(first.content)
}

/** When the last entry was written. Reads from the last piece backwards, until one has a time. */
export async function readLastStoredTime(objects: ObjectReader, pieces: Oid[]): Promise<Date | undefined> {
  for (const piece of pieces.toReversed()) {
    const time = lastTimeIn(await readPiece(objects, piece))
    if (time !== undefined) return time
  }
  return undefined
}

/** Ends the last line with a newline: the agent will append to the file. */
export async function copyTranscript(
  objects: ObjectReader,
  { session, agent }: { session: StoredSession; agent: Agent },
  write: (bytes: Uint8Array) => void,
): Promise<void> {
  const pieces = await findTranscriptPieces(objects, session)
  const shape = agent.transcript.shape(await readBeginning(objects, pieces))
  if (shape === 'document' || agent.pieces !== undefined)
    return write(await readWhole(objects, session, pieces, agent))
  let isEnded = true
  for (const [index, piece] of pieces.entries()) {
    const content = await readPiece(objects, piece)
    if (index > 0) write(Buffer.of(newline))
    write(content)
    isEnded = content.at(-1) === newline
  }
  if (!isEnded) write(Buffer.of(newline))
}

// An agent that cuts its own pieces may cut them anywhere, so that only the whole shows whether it is lines.
async function readWhole(
  objects: ObjectReader,
  session: StoredSession,
  pieces: Oid[],
  agent: Agent,
): Promise<Buffer> {
  const contents = await Promise.all(pieces.map((piece) => readPiece(objects, piece)))
  const whole = await joinStored(contents, agent.pieces && (await readHash(objects, session)), agent.pieces)
  const isEnded =
    whole.at(-1) === newline ||
    agent.transcript.shape(whole.subarray(0, headBytes).toString('utf8')) === 'document'
  return isEnded ? whole : Buffer.concat([whole, Buffer.of(newline)])
}

async function readPiece(objects: ObjectReader, oid: Oid): Promise<Buffer> {
  const found = await objects.contents(oid).catch((error: unknown) => {
    throw incomplete(error)
  })
  if (found === undefined) throw incomplete()
  return found.content
}

// A partial clone fetches missing objects from its remote, which may be unreachable.
export function incomplete(cause?: unknown): EntireError {
  const why = cause instanceof EntireError ? ` ${cause.message}` : ''
  return new EntireError(
    'transcript-missing',
    `A part of the stored session log is missing in this repository.${why}`,
    {
      hint: `Run \`${fetchCommand}\` where the remote can be reached, then try again.`,
      cause,
    },
  )
}
