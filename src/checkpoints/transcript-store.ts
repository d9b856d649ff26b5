// Reads what an agent appended to its transcript since last time, redacts it, and stores it as blobs. What was stored before is
// referenced, not read again: the cost of a save is that of what was appended.

import { isUtf8 } from 'node:buffer'
import { closeSync, openSync } from 'node:fs'
import type { ObjectReader } from '../git/cat-file.ts'
import type { TranscriptFormat, TranscriptPieces, TranscriptReading } from '../model/agent.ts'
import type { EventMetadata } from '../model/event.ts'
import type { TranscriptCursor } from '../model/session.ts'
import type { FilePart } from '../model/session-file.ts'
import { addTokens, noTokens } from '../model/tokens.ts'
import { changeText } from '../std/encoding.ts'
import { EntireError } from '../std/errors.ts'
import { fileSize, readRange } from '../std/file.ts'
import { given } from '../std/given.ts'
import { type JsonObject, parseJson } from '../std/json.ts'
import { sha256Append, sha256Digest, sha256Start } from '../std/sha256.ts'
import {
  type ChunkStore,
  chunkWriter,
  joinChunks,
  lineFeed,
  maxBlobBytes,
  storeDocument,
  stripLines,
} from './transcript-chunks.ts'

/** More than this at once is not a conversation; reading it would block the agent for minutes. */
export const maxUnseenBytes = 512 * 1024 * 1024

const blockBytes = 8 * 1024 * 1024
const sealBytes = 1024

export interface TranscriptSource extends ChunkStore {
  format: TranscriptFormat
  /** Cuts documents, for agents that want to do it themselves. */
  cutter?: Pick<TranscriptPieces, 'cut'> | undefined
  path: string
  cursor: TranscriptCursor | undefined
  redact(text: string): Promise<string>
  /** Bytes at the beginning that are stored but do not count, except for the files they name: what a turn we could not record wrote. */
  ignoreBefore: number
  metadata: EventMetadata | undefined
  /** Called when everything that was appended is in the store, and before its last part is read for what it says. */
  stored?(): Promise<void>
  /** Of a file that holds more than this transcript. Positions count from its beginning. */
  part?: FilePart | undefined
}

/** Bytes of the transcript from a position on, as far as there are any. */
type Bytes = (from: number, length: number) => Buffer

export interface TranscriptUpdate {
  cursor: TranscriptCursor
  reading: TranscriptReading
  /** The transcript is not the one that was read before: positions start again. */
  restarted: boolean
}

/** Undefined when there is no transcript (yet). */
export async function readAppended(source: TranscriptSource): Promise<TranscriptUpdate | undefined> {
  const whole = fileSize(source.path)
  const { from: start, to: end } = source.part ?? { from: 0, to: whole ?? 0 }
  const size = Math.min(end, whole ?? 0) - start
  if (whole === undefined || size <= 0) return undefined
  const fd = openSync(source.path, 'r')
  const bytes: Bytes = (from, length) =>
    readRange(fd, start + from, Math.max(0, Math.min(length, size - from)))
  try {
    const head = bytes(0, 256).toString('utf8')
    return source.format.shape(head) === 'document'
      ? await readDocument(source, bytes, size)
      : await readLines(source, bytes, size)
  } finally {
    closeSync(fd)
  }
}

async function readLines(source: TranscriptSource, bytes: Bytes, size: number): Promise<TranscriptUpdate> {
  const known = source.cursor
  const continues =
    known !== undefined &&
    known.path === source.path &&
    known.bytes <= size &&
    sealAt(bytes, known.bytes) === known.seal
  const from = continues ? afterNewline(bytes, known.bytes) : 0
  if (size - from > maxUnseenBytes) throw tooLarge(source.path, size - from)
  const writer = chunkWriter(source, continues ? known.chunks : [], size - from)
  let reading = emptyReading(continues ? known.carry : undefined)
  let consumed = from
  const redact = (text: string) => source.redact(stripLines(source.format, text))
  const read = (text: string) => {
    const part = source.format.readLines(text.replace(/\n$/, '').split('\n'), reading.carry, source.metadata)
    reading =
      consumed <= source.ignoreBefore
        ? {
            ...emptyReading(part.carry),
            items: reading.items + part.items,
            files: mergeReadings(reading, part).files,
          }
        : mergeReadings(reading, part)
  }
  let last: string | undefined
  for (const block of lineBlocks(bytes, from, size, source)) {
    if (last !== undefined) read(last)
    last = block.toString('utf8')
    await writer.append(await redactBytes({ redact }, block, last))
    consumed += block.length
  }
  await writer.flush()
  await source.stored?.()
  if (last !== undefined) read(last)
  return {
    cursor: {
      path: source.path,
      bytes: consumed,
      items: (continues ? known.items : 0) + reading.items,
      seal: sealAt(bytes, consumed),
      chunks: writer.chunks,
      hash: continues ? known.hash : sha256Start(),
      hashed: continues ? known.hashed : 0,
      ...given({ carry: reading.carry }),
    },
    reading,
    restarted: known !== undefined && !continues,
  }
}

// Whole lines in blocks of bounded size. A last line without newline counts when it is a whole JSON value.
function* lineBlocks(
  bytes: Bytes,
  from: number,
  size: number,
  source: Pick<TranscriptSource, 'path' | 'ignoreBefore'>,
): Generator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for (let at = from; at < size; ) {
    const limit = at < source.ignoreBefore ? source.ignoreBefore : size
    const block = bytes(at, Math.min(blockBytes, limit - at))
    if (block.length === 0) break
    at += block.length
    const joined = rest.length === 0 ? block : Buffer.concat([rest, block])
    const end = joined.lastIndexOf(10) + 1
    if (end > 0) yield joined.subarray(0, end)
    rest = joined.subarray(end)
    if (rest.length > maxBlobBytes) throw tooLarge(source.path, rest.length)
  }
  if (rest.length > 0 && parseJson(rest.toString('utf8')) !== undefined) yield rest
}

async function readDocument(source: TranscriptSource, bytes: Bytes, size: number): Promise<TranscriptUpdate> {
  if (size > maxUnseenBytes) throw tooLarge(source.path, size)
  const content = bytes(0, size)
  const text = content.toString('utf8')
  const known = source.cursor?.path === source.path ? source.cursor : undefined
  const from = known?.items ?? 0
  const total = readItems(source, text, 0).items
  // A format that knows what it has seen finds what is new in a document that was cut off, too.
  const continued = known?.carry && readItems(source, text, from, known.carry)
  const restarted = total < from && continued?.carry === undefined
  const reading = continued?.carry === undefined ? readItems(source, text, restarted ? 0 : from) : continued
  const redacted = await redactBytes(source, content, text)
  const stored = await storeDocument(source, redacted, known)
  return {
    cursor: {
      ...{
        path: source.path,
        bytes: size,
        items: total,
        seal: '',
        hash: sha256Start(),
        hashed: 0,
        ...stored,
      },
      ...given({ carry: reading.carry }),
    },
    reading,
    restarted,
  }
}

/** `text`: the same as UTF-8, which it nearly always is. */
async function redactBytes(
  { redact }: Pick<TranscriptSource, 'redact'>,
  bytes: Buffer,
  text: string,
): Promise<Buffer> {
  return isUtf8(bytes) ? Buffer.from(await redact(text)) : await changeText(bytes, redact)
}

// A document caught while it is being written says nothing yet; it is stored as it is.
function readItems(
  { format, metadata }: TranscriptSource,
  text: string,
  from: number,
  carry?: JsonObject,
): TranscriptReading {
  try {
    return format.readDocument?.(text, from, metadata, carry) ?? emptyReading(undefined)
  } catch {
    return emptyReading(undefined)
  }
}

// A last line that was read before its newline arrived is complete; the newline belongs to it.
function afterNewline(bytes: Bytes, position: number): number {
  if (position === 0) return 0
  const around = bytes(position - 1, 2)
  return around[0] !== 10 && around[1] === 10 ? position + 1 : position
}

function sealAt(bytes: Bytes, end: number): string {
  const start = Math.max(0, end - sealBytes)
  return new Bun.CryptoHasher('sha1').update(bytes(start, end - start)).digest('hex')
}

function tooLarge(path: string, bytes: number): EntireError {
  return new EntireError(
    'transcript-too-large',
    `The transcript ${path} holds ${Math.round(bytes / 2 ** 20)} MiB that were never recorded.`,
    {
      hint: 'Files are recorded as usual; the transcript is left out. Start a new session to record conversations again.',
    },
  )
}

// What the parts of a transcript say, taken together.

export function mergeReadings(a: TranscriptReading, b: TranscriptReading): TranscriptReading {
  return {
    ...a,
    ...b,
    items: a.items + b.items,
    files: [...new Set([...a.files, ...b.files])],
    prompts: [...a.prompts, ...b.prompts],
    tokens: addTokens(a.tokens, b.tokens),
    subagents: [...a.subagents, ...b.subagents],
  }
}

export function emptyReading(carry: TranscriptReading['carry']): TranscriptReading {
  return {
    items: 0,
    files: [],
    prompts: [],
    tokens: noTokens,
    subagents: [],
    ...given({ carry }),
  }
}

// The fingerprint of a stored transcript: sha256 over its pieces joined. Made when a checkpoint is written, from where it was left last time.

// Up to here hashing all of it natively is faster than continuing a state in a process that has just started.
const nativeBytes = 1024 * 1024

/** The digest; the cursor remembers how far it got. Throws `not-found` when a piece is gone. */
export async function digestTranscript(objects: ObjectReader, cursor: TranscriptCursor): Promise<string> {
  const total = cursor.chunks.reduce((sum, chunk) => sum + chunk.bytes + 1, -1)
  if (cursor.digest === undefined && (total <= nativeBytes || isDocument(cursor))) {
    const contents = await Promise.all(cursor.chunks.map((chunk) => readChunk(objects, chunk.oid)))
    return new Bun.CryptoHasher('sha256').update(joinChunks(contents)).digest('hex')
  }
  const pieces = await Promise.all(cursor.chunks.map((chunk) => objects.info(chunk.oid)))
  const gone = cursor.chunks[pieces.indexOf(undefined)]
  if (gone !== undefined) throw missing(gone.oid)
  if (cursor.digest !== undefined) return cursor.digest
  let position = 0
  for (const chunk of cursor.chunks) {
    const end = position + chunk.bytes
    if (end > cursor.hashed) {
      if (position > 0 && cursor.hashed < position) append(cursor, lineFeed)
      append(cursor, (await readChunk(objects, chunk.oid)).subarray(Math.max(0, cursor.hashed - position)))
    }
    position = end + 1
  }
  return sha256Digest(cursor.hash)
}

function append(cursor: TranscriptCursor, bytes: Buffer): void {
  cursor.hash = sha256Append(cursor.hash, bytes)
  cursor.hashed += bytes.length
}

// Documents are cut at messages, and have no seal because they are rewritten whole.
function isDocument(cursor: TranscriptCursor): boolean {
  return cursor.seal === ''
}

async function readChunk(objects: ObjectReader, oid: string): Promise<Buffer> {
  const object = await objects.contents(oid)
  if (object === undefined) throw missing(oid)
  return object.content
}

function missing(oid: string): EntireError {
  return new EntireError('not-found', `Stored transcript piece ${oid} is missing.`)
}
