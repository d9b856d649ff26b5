// Stored transcripts on their way back to a file: piece by piece, since they may be larger than is wise to hold.

import { closeSync, fstatSync, openSync } from 'node:fs'
import { fetchCommand } from '../checkpoints/copies.ts'
import { findTranscriptPieces, readHash, type StoredSession } from '../checkpoints/read.ts'
import { joinStored } from '../checkpoints/transcript-chunks.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import type { Agent } from '../model/agent.ts'
import { EntireError, isErrno, messageOf } from '../std/errors.ts'
import { fileSize, readRange } from '../std/file.ts'
import { asArray, asObject, asString, type Json, parseJson } from '../std/json.ts'
import { parseTime } from '../std/time.ts'

export const newline = 0x0a
/** Enough to see whether a transcript is a document or lines. */
export const headBytes = 64 * 1024

/** The beginning of a transcript. */
export async function readBeginning(objects: ObjectReader, pieces: Oid[]): Promise<string> {
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
  const shape = agent.transcript.shape(await readBeginning(objects, pieces))
  if (shape === 'document' || agent.pieces !== undefined)
    return write(await readWhole(objects, session, pieces, agent))
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

// A partial clone asks its remote for what is missing, which may be out of reach.
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

// Which of two copies of a log is the newer one: by the times in them, or without any by their contents.

/** Of a stored log, against the one that is in its place. */
export type LogState = 'new' | 'unchanged' | 'checkpoint-newer' | 'local-newer'

interface ComparedLog {
  session: StoredSession
  agent: Agent
  path: string
}

export function compareTimes(local: Date | undefined, stored: Date | undefined): LogState {
  if (local === undefined || stored === undefined) return 'new'
  if (local.getTime() === stored.getTime()) return 'unchanged'
  return local.getTime() > stored.getTime() ? 'local-newer' : 'checkpoint-newer'
}

// One that begins with the other went on. Of two that have become different the longer one is taken for the newer, so that nobody's work
// is replaced unasked.
export async function compareContents(objects: ObjectReader, log: ComparedLog): Promise<LogState> {
  const size = fileSize(log.path)
  if (size === undefined) return 'new'
  const fd = openSync(log.path, 'r')
  let stored = 0
  let isSame = true
  try {
    await copyTranscript(objects, log, (bytes) => {
      const local = isSame
        ? readRange(fd, stored, Math.min(bytes.length, Math.max(0, size - stored)))
        : undefined
      isSame = local?.equals(bytes.subarray(0, local.length)) === true
      stored += bytes.length
    })
  } finally {
    closeSync(fd)
  }
  if (isSame && stored === size) return 'unchanged'
  return size > stored ? 'local-newer' : 'checkpoint-newer'
}

// When the last entry of a transcript was written: it tells which of two copies of a log is the newer one.

// Most logs end with an entry of the last moments; one that does not is read on, from the end.
const firstWindow = 256 * 1024

/** The time of the last entry that has one. */
export function lastTimeIn(bytes: Buffer): Date | undefined {
  for (let end = bytes.length; end > 0; ) {
    const start = bytes.lastIndexOf(newline, end - 1) + 1
    const time = timeOf(bytes.subarray(start, end))
    if (time !== undefined) return time
    end = start - 1
  }
  return undefined
}

/** Undefined when there is no such file, or no time in it. */
export function readLastTime(path: string): Date | undefined {
  const fd = openIfThere(path)
  if (fd === undefined) return undefined
  try {
    const stat = fstatSync(fd)
    const size = stat.isFile() ? stat.size : 0
    for (let window = firstWindow; ; window *= 8) {
      const from = Math.max(0, size - window)
      const time = lastTimeIn(readRange(fd, from, size - from))
      if (time !== undefined || from === 0) return time
    }
  } finally {
    closeSync(fd)
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined
    if (!isErrno(error, 'EACCES', 'EPERM', 'ELOOP', 'EISDIR')) throw error
    throw new EntireError('write-failed', `The session log at ${path} cannot be read: ${messageOf(error)}.`, {
      hint: 'Nothing was changed. Make it readable or move it away, then run the command again.',
      cause: error,
    })
  }
}

function timeOf(line: Buffer): Date | undefined {
  if (!line.includes('"timestamp"')) return undefined
  const text = line.toString('utf8')
  const entry = asObject(parseJson(text))
  // A line of an indented document.
  if (entry === undefined) return parseTime(/^\s*"timestamp"\s*:\s*"([^"]+)",?\s*$/.exec(text)?.[1])
  const own = parseTime(asString(entry.timestamp))
  return (
    own ??
    asArray(entry.messages).reduceRight<Date | undefined>(
      (found, message) => found ?? timeOfMessage(message),
      undefined,
    )
  )
}

function timeOfMessage(message: Json): Date | undefined {
  return parseTime(asString(asObject(message)?.timestamp))
}
