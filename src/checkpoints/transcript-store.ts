// Reads what an agent has appended to its transcript, redacts it, and stores it as blobs. Earlier chunks are
// referenced and not read again: the cost of a save is that of what was appended.

import { isUtf8 } from 'node:buffer'
import { closeSync } from 'node:fs'
import type { TranscriptFormat, TranscriptReading } from '../model/agent.ts'
import type { EventMetadata } from '../model/event.ts'
import type { TranscriptCursor } from '../model/session.ts'
import type { FilePart } from '../model/session-file.ts'
import { addTokens, noTokens } from '../model/tokens.ts'
import { changeText } from '../std/encoding.ts'
import { EntireError } from '../std/errors.ts'
import { fileSize, openRegular, readRange } from '../std/file.ts'
import { given } from '../std/given.ts'
import { type JsonObject, parseJson } from '../std/json.ts'
import { sha256Start } from '../std/sha256.ts'
import { type ChunkStore, ChunkWriter, type DocumentStore, storeDocument } from './chunk-store.ts'
import { maxBlobBytes, stripLines } from './transcript-chunks.ts'

/** More than this at once is not a conversation, and reading it would block the agent for minutes. */
const maxUnseenBytes = 512 * 1024 * 1024

// The agent waits. More than two of these are read one by one, which takes a second or two each.
const usualPieceBytes = 32 * 1024 * 1024
// What a turn is told from while its transcript is behind.
const tailBytes = 8 * 1024 * 1024

const blockBytes = 8 * 1024 * 1024
const sealBytes = 1024

export interface TranscriptSource extends ChunkStore, DocumentStore {
  format: TranscriptFormat
  path: string
  cursor: TranscriptCursor | undefined
  /** The cursor of the last reading, also where its chunks are gone and everything is stored again. */
  last: TranscriptCursor | undefined
  /** Calls `found` with the rule of each secret it replaces. */
  redact(text: string, found: (rule: string) => void): Promise<string>
  /**
   * Bytes at the beginning that are stored but not counted, except for the files they name where they are those
   * of an unrecorded turn.
   */
  ignoreBefore: number
  /** The files that those name are not the session's either. */
  isCopy: boolean
  /** Where the turn begins. Its files and last words are found at once, even if the rest is read later. */
  turnFrom: number
  /** How much of a long transcript is read at once. */
  pieceBytes?: number
  metadata: EventMetadata | undefined
  /** The transcript is only this part of the file. Positions count from the beginning of the part. */
  part?: FilePart | undefined
}

/** Reads bytes of the transcript from a position on; fewer at its end. */
type ReadBytes = (from: number, length: number) => Buffer

/** What was appended: redacted and handed to `store`, but its last part is not parsed yet. */
export interface AppendedPart {
  parse(): TranscriptUpdate
}

export interface TranscriptUpdate {
  cursor: TranscriptCursor
  reading: TranscriptReading
  /** The transcript is not the one read before: positions start again. */
  restarted: boolean
  /** The tokens of the reading may have been counted before: nothing tells the messages apart. */
  isUncertain: boolean
}

/** Undefined when there is no transcript yet. */
export async function readAppended(source: TranscriptSource): Promise<AppendedPart | undefined> {
  const whole = fileSize(source.path)
  const { from: start, to: end } = source.part ?? { from: 0, to: whole ?? 0 }
  const size = Math.min(end, whole ?? 0) - start
  if (whole === undefined || size <= 0) return undefined
  const fd = openRegular(source.path)
  const bytes: ReadBytes = (from, length) =>
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

async function readLines(source: TranscriptSource, bytes: ReadBytes, size: number): Promise<AppendedPart> {
  const known = source.cursor
  const continues =
    known !== undefined &&
    known.path === source.path &&
    known.bytes <= size &&
    sealAt(bytes, known.bytes) === known.seal
  const from = continues ? afterNewline(bytes, known.bytes) : 0
  if (size - from > maxUnseenBytes) throw tooLarge(source.path, size - from)
  const { pieceBytes = usualPieceBytes } = source
  const end = size - from > 2 * pieceBytes ? from + pieceBytes : size
  const ignoreBefore = continues ? (known.ignored ?? 0) : source.ignoreBefore
  const writer = new ChunkWriter(source, continues ? known.chunks : [], end - from)
  const remembered = continues
    ? known.carry
    : source.last?.carry && source.format.restart?.(source.last.carry)
  let reading = emptyReading(remembered)
  let consumed = from
  const counted = countRedactions(continues ? known.redactions : undefined)
  const redact = (text: string) => source.redact(stripLines(source.format, text), counted.add)
  const read = (text: string) => {
    const part = source.format.readLines(text.replace(/\n$/, '').split('\n'), reading.carry, source.metadata)
    reading =
      consumed <= ignoreBefore
        ? {
            ...emptyReading(part.carry),
            items: reading.items + part.items,
            // Read later, they would count as files of another turn.
            files:
              source.isCopy || continues || end < size ? reading.files : mergeReadings(reading, part).files,
          }
        : mergeReadings(reading, part)
  }
  let last: string | undefined
  for (const block of lineBlocks(bytes, { from, end, size, ignoreBefore, path: source.path })) {
    if (last !== undefined) read(last)
    last = block.toString('utf8')
    await writer.append(await redactBytes({ redact }, block, last))
    consumed += block.length
  }
  await writer.finish()
  const seal = sealAt(bytes, consumed)
  const tail = end < size ? readTail(source, bytes, size) : undefined
  return {
    parse: () => {
      if (last !== undefined) read(last)
      return {
        cursor: {
          path: source.path,
          bytes: consumed,
          items: (continues ? known.items : 0) + reading.items,
          seal,
          chunks: writer.chunks,
          hash: continues ? known.hash : sha256Start(),
          hashed: continues ? known.hashed : 0,
          ...given({ carry: reading.carry, redactions: counted.counts() }),
          ...(tail === undefined ? {} : { behind: size - consumed }),
          ...(consumed < ignoreBefore ? { ignored: ignoreBefore } : {}),
        },
        reading: tail === undefined ? reading : withTail(source, reading, tail),
        restarted: known !== undefined && !continues,
        isUncertain: source.last !== undefined && !continues && remembered === undefined,
      }
    },
  }
}

/** The last lines of a turn. */
function readTail({ turnFrom }: TranscriptSource, bytes: ReadBytes, size: number): string[] {
  const from = Math.max(turnFrom, size - tailBytes)
  const text = bytes(from, size - from).toString('utf8')
  return (from > turnFrom ? text.slice(text.indexOf('\n') + 1) : text).trimEnd().split('\n')
}

// Adds what the end of a turn needs, and what is not counted twice when it is read again.
function withTail(
  { format, metadata }: TranscriptSource,
  reading: TranscriptReading,
  tail: string[],
): TranscriptReading {
  const { files, summary, model } = format.readLines(tail, undefined, metadata)
  return { ...reading, files: [...new Set([...reading.files, ...files])], ...given({ summary, model }) }
}

interface LineRange {
  from: number
  /** At least one line is read, also if it ends behind this. */
  end: number
  size: number
  /** A block ends here. */
  ignoreBefore: number
  path: string
}

// Yields whole lines in blocks of bounded size. A last line without newline counts when it is a complete JSON
// value.
function* lineBlocks(
  bytes: ReadBytes,
  { from, end: stop, size, ignoreBefore, path }: LineRange,
): Generator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  let hasLines = false
  let at = from
  while (at < stop || (!hasLines && at < size)) {
    const limit = Math.min(at < ignoreBefore ? ignoreBefore : size, at < stop ? stop : size)
    const block = bytes(at, Math.min(blockBytes, limit - at))
    if (block.length === 0) break
    at += block.length
    const joined = rest.length === 0 ? block : Buffer.concat([rest, block])
    const end = joined.lastIndexOf(10) + 1
    if (end > 0) yield joined.subarray(0, end)
    hasLines ||= end > 0
    rest = joined.subarray(end)
    if (rest.length > maxBlobBytes) throw tooLarge(path, rest.length)
  }
  if (at >= size && rest.length > 0 && parseJson(rest.toString('utf8')) !== undefined) yield rest
}

async function readDocument(source: TranscriptSource, bytes: ReadBytes, size: number): Promise<AppendedPart> {
  if (size > maxUnseenBytes) throw tooLarge(source.path, size)
  const content = bytes(0, size)
  const text = content.toString('utf8')
  const known = source.cursor?.path === source.path ? source.cursor : undefined
  const counted = countRedactions(undefined)
  const redact = (part: string) => source.redact(part, counted.add)
  const redacted = await redactBytes({ redact }, content, text)
  const stored = await storeDocument(source, redacted, known)
  return {
    parse: () => {
      const { total, ...update } = readNewItems(source, text, known)
      return {
        cursor: {
          path: source.path,
          bytes: size,
          items: total,
          seal: '',
          hash: sha256Start(),
          hashed: 0,
          ...stored,
          ...given({ carry: update.reading.carry, redactions: counted.counts() }),
        },
        ...update,
      }
    },
  }
}

// A format that carries what it has seen finds new items even in a document that was truncated.
function readNewItems(source: TranscriptSource, text: string, known: TranscriptCursor | undefined) {
  const from = known?.items ?? 0
  const total = readItems(source, text, 0).items
  const seen = (known ?? source.last)?.carry
  const continued = seen && readItems(source, text, from, seen)
  if (continued?.carry !== undefined)
    return { total, reading: continued, restarted: false, isUncertain: false }
  const restarted = total < from
  const isUncertain = restarted || (known === undefined && source.last !== undefined)
  return { total, reading: readItems(source, text, restarted ? 0 : from), restarted, isUncertain }
}

/** Adds to what was redacted before. */
export function countRedactions(before: Record<string, number> | undefined): {
  add(rule: string): void
  counts(): Record<string, number> | undefined
} {
  const counts = { ...before }
  return {
    add: (rule) => {
      counts[rule] = (counts[rule] ?? 0) + 1
    },
    counts: () => (Object.keys(counts).length === 0 ? undefined : counts),
  }
}

/** `text` is the bytes as UTF-8, which they nearly always are. */
async function redactBytes(
  { redact }: { redact(text: string): Promise<string> },
  bytes: Buffer,
  text: string,
): Promise<Buffer> {
  return isUtf8(bytes) ? Buffer.from(await redact(text)) : await changeText(bytes, redact)
}

// A document that is being written cannot be parsed yet; it is stored as it is.
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

// A last line that was read before its newline arrived is complete; its newline is skipped.
function afterNewline(bytes: ReadBytes, position: number): number {
  if (position === 0) return 0
  const around = bytes(position - 1, 2)
  return around[0] !== 10 && around[1] === 10 ? position + 1 : position
}

function sealAt(bytes: ReadBytes, end: number): string {
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

function mergeReadings(a: TranscriptReading, b: TranscriptReading): TranscriptReading {
  return {
    ...a,
    ...b,
    items: a.items + b.items,
    files: [...new Set([...a.files, ...b.files])],
    prompts: [...a.prompts, ...b.prompts],
    ...(a.asked || b.asked ? { asked: [...(a.asked ?? []), ...(b.asked ?? [])] } : {}),
    ...(a.typed || b.typed ? { typed: [...(a.typed ?? []), ...(b.typed ?? [])] } : {}),
    tokens: addTokens(a.tokens, b.tokens),
    subagents: [...new Set([...a.subagents, ...b.subagents])],
  }
}

function emptyReading(carry: TranscriptReading['carry']): TranscriptReading {
  return {
    items: 0,
    files: [],
    prompts: [],
    tokens: noTokens,
    subagents: [],
    ...given({ carry }),
  }
}
