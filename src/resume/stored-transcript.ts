// Reads the stored transcript of a session chunk by chunk, because it may be too large to hold in memory, and
// finds when the last entry of a transcript was written, which tells the newer of two copies.

import { closeSync, fstatSync } from 'node:fs'
import { fetchCommand } from '../checkpoints/copies.ts'
import { findTranscriptChunks, readHash, type StoredSession } from '../checkpoints/read.ts'
import { joinStored } from '../checkpoints/transcript-chunks.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import type { Agent } from '../model/agent.ts'
import { EntireError, isErrno, messageOf } from '../std/errors.ts'
import { openRegular, readRange } from '../std/file.ts'
import { asArray, asObject, asString, type Json, parseJson } from '../std/json.ts'
import { parseTime } from '../std/time.ts'

export const newline = 0x0a
/** Enough to see whether a transcript is a document or lines. */
export const headBytes = 64 * 1024

/** The beginning of a transcript. */
export async function readBeginning(objects: ObjectReader, chunks: Oid[]): Promise<string> {
  return (await readChunk(objects, chunks[0] as Oid)).subarray(0, headBytes).toString('utf8')
}

/** True when this repository has all chunks. */
export async function isWhole(objects: ObjectReader, chunks: Oid[]): Promise<boolean> {
  const found = await Promise.all(chunks.map((chunk) => objects.info(chunk)))
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

/** When the last entry was written. Reads from the last chunk backwards, until one has a time. */
export async function readLastStoredTime(objects: ObjectReader, chunks: Oid[]): Promise<Date | undefined> {
  for (const chunk of chunks.toReversed()) {
    const time = lastTimeIn(await readChunk(objects, chunk))
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
  const chunks = await findTranscriptChunks(objects, session)
  const shape = agent.transcript.shape(await readBeginning(objects, chunks))
  if (shape === 'document' || agent.cutter !== undefined)
    return write(await readWhole(objects, session, chunks, agent))
  let isEnded = true
  for (const [index, chunk] of chunks.entries()) {
    const content = await readChunk(objects, chunk)
    if (index > 0) write(Buffer.of(newline))
    write(content)
    isEnded = content.length === 0 ? index > 0 : content.at(-1) === newline
  }
  if (!isEnded) write(Buffer.of(newline))
}

// An agent that cuts its own chunks may cut them anywhere, so that only the whole shows whether it is lines.
async function readWhole(
  objects: ObjectReader,
  session: StoredSession,
  chunks: Oid[],
  agent: Agent,
): Promise<Buffer> {
  const contents = await Promise.all(chunks.map((chunk) => readChunk(objects, chunk)))
  const whole = await joinStored(contents, agent.cutter && (await readHash(objects, session)), agent.cutter)
  const isEnded =
    whole.at(-1) === newline ||
    agent.transcript.shape(whole.subarray(0, headBytes).toString('utf8')) === 'document'
  return isEnded ? whole : Buffer.concat([whole, Buffer.of(newline)])
}

async function readChunk(objects: ObjectReader, oid: Oid): Promise<Buffer> {
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

// Most logs have a time in their last entries; from a log without one, more is read.
const firstWindow = 256 * 1024

/** The time of the last entry of a log that has one; undefined when there is no file, or no time in it. */
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
    return openRegular(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return undefined
    if (!isErrno(error, 'EACCES', 'EPERM', 'ELOOP')) throw error
    throw new EntireError('write-failed', `The session log at ${path} cannot be read: ${messageOf(error)}`, {
      hint: 'Nothing was changed. Make it readable or move it away, then run the command again.',
      cause: error,
    })
  }
}

/** The time of the last line that has one. */
export function lastTimeIn(bytes: Buffer): Date | undefined {
  for (let end = bytes.length; end > 0; ) {
    const start = bytes.lastIndexOf(newline, end - 1) + 1
    const time = timeOf(bytes.subarray(start, end))
    if (time !== undefined) return time
    end = start - 1
  }
  return undefined
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
