// Reads, cuts and joins transcripts: JSON lines, one JSON document, or plain bytes. Authors choose a kind and
// say what its items mean.

import { Buffer } from 'node:buffer'
import { given } from '../../std/given.ts'

export interface TokenCount {
  input: number
  output: number
  cacheCreation?: number
  cacheRead?: number
  /** Requests to the model; 1 when it is left out. */
  calls?: number
  /** Of counts with the same id only the last is added, because agents repeat a message while it grows. */
  id?: string
}

export interface TokenTotal {
  input: number
  output: number
  cacheCreation: number
  cacheRead: number
  calls: number
}

export interface Reading {
  files: string[]
  prompts: string[]
  summary?: string
  tokens: TokenTotal
}

export interface Transcript {
  /** Whether it finds files, prompts and summaries. */
  analyses: boolean
  countsTokens: boolean
  /** The number of items. An incomplete last line is not counted. */
  position(bytes: Buffer): number
  /** Reads the items from a position on. */
  read(bytes: Buffer, from: number): Reading
  /** Chunks of at most `max` bytes, unless a single item is larger. */
  chunk(bytes: Buffer, max: number): Buffer[]
  /** Returns exactly the bytes that were cut. */
  join(chunks: Buffer[]): Buffer
}

/**
 * What an item of a transcript means. All are optional; one that throws for an unknown item skips that item.
 */
export interface ItemReader<Item> {
  prompt?(item: Item): string | undefined
  /** Files the agent has written, as it names them. */
  files?(item: Item): string[] | undefined
  /** What the agent said to the user; the last is used. */
  summary?(item: Item): string | undefined
  tokens?(item: Item): TokenCount | undefined
}

const newline = 0x0a

/** A transcript with one JSON value per line, growing at the end. Positions are numbers of lines. */
// biome-ignore lint/suspicious/noExplicitAny: authors know their lines and name the type.
export function jsonlTranscript<Line = any>(reader: ItemReader<Line>): Transcript {
  return {
    analyses: Boolean(reader.prompt || reader.files || reader.summary),
    countsTokens: reader.tokens !== undefined,
    position: (bytes) => splitLines(bytes).length,
    read: (bytes, from) => readItems(splitLines(bytes).slice(from).flatMap(parseLine) as Line[], reader),
    chunk: cutAtLines,
    join: joinLines,
  }
}

/**
 * Complete lines, including blank ones, which positions count too. A last line without newline counts if it
 * is valid JSON.
 */
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
 * Cuts at line ends. The newline at a cut belongs to no chunk, so that chunks joined by newlines are the
 * transcript again: programs that store lines join them that way without asking the plugin.
 */
function cutAtLines(bytes: Buffer, max: number): Buffer[] {
  const chunks: Buffer[] = []
  let start = 0
  while (bytes.length - start > max) {
    const within = bytes.lastIndexOf(newline, Math.min(start + max, bytes.length - 2))
    const cut = within >= start ? within : bytes.indexOf(newline, start)
    if (cut === -1 || cut === bytes.length - 1) break
    chunks.push(bytes.subarray(start, cut))
    start = cut + 1
  }
  return [...chunks, bytes.subarray(start)]
}

function joinLines(chunks: Buffer[]): Buffer {
  const between = Buffer.from('\n')
  return Buffer.concat(chunks.flatMap((chunk, index) => (index === 0 ? [chunk] : [between, chunk])))
}

/**
 * A transcript that is one JSON document with a list of messages, rewritten each time. Positions are numbers
 * of messages. `list` is the key of the messages at the top of the document; a document that is a list itself
 * needs none.
 */
// biome-ignore lint/suspicious/noExplicitAny: authors know their messages and name the type.
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

/** Chunks that end where a message ends. Each byte is in exactly one of them. */
function cutBetween(bytes: Buffer, cuts: number[], max: number): Buffer[] {
  const chunks: Buffer[] = []
  let start = 0
  for (const [index, cut] of cuts.entries()) {
    const next = cuts[index + 1] ?? bytes.length
    if (next - start <= max || cut === start) continue
    chunks.push(bytes.subarray(start, cut))
    start = cut
  }
  return [...chunks, bytes.subarray(start)]
}

/** A transcript that is not analysed. Positions are numbers of bytes. */
export const rawTranscript: Transcript = {
  analyses: false,
  countsTokens: false,
  position: (bytes) => bytes.length,
  read: () => ({ files: [], prompts: [], tokens: addCounts([]) }),
  chunk: (bytes, max) => {
    const chunks = Array.from({ length: Math.ceil(bytes.length / max) }, (_, index) =>
      bytes.subarray(index * max, (index + 1) * max),
    )
    return chunks.length === 0 ? [bytes] : chunks
  },
  join: (chunks) => Buffer.concat(chunks),
}

const quote = 0x22
const backslash = 0x5c

/**
 * Finds the positions after the commas of the list at the top-level key, or of the document if it is a list;
 * in other documents, after newlines. In the bytes, because parsing and printing again would not give the
 * same bytes.
 */
function findListItems(bytes: Buffer, key: string): number[] {
  return scanListItems(bytes, key) ?? afterNewlines(bytes)
}

function scanListItems(bytes: Buffer, key: string): number[] | undefined {
  const first = bytes.find((byte) => byte > 0x20)
  if (first !== 0x7b && first !== 0x5b) return undefined
  const listDepth = first === 0x5b ? 1 : 2
  const cuts: number[] = []
  let inside = first === 0x5b
  let depth = 0
  let name = ''
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) {
      const end = stringEnd(bytes, at)
      if (end === -1) return undefined
      if (depth === 1) name = bytes.toString('utf8', at + 1, end)
      at = end
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1
      if (listDepth === 2 && depth === 2) inside = byte === 0x5b && name === key
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1
      if (depth < listDepth && listDepth === 2) inside = false
    } else if (byte === 0x2c && inside && depth === listDepth) {
      cuts.push(at + 1)
    }
  }
  return depth === 0 ? cuts : undefined
}

function stringEnd(bytes: Buffer, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at < bytes.length ? at : -1
}

function afterNewlines(bytes: Buffer): number[] {
  const cuts: number[] = []
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) cuts.push(at + 1)
  return cuts
}

export function readItems<Item>(items: Item[], reader: ItemReader<Item>): Reading {
  const files = new Set<string>()
  const prompts: string[] = []
  const counts = new Map<string, TokenCount>()
  let summary: string | undefined
  for (const item of items) {
    const named: unknown = tryReading(() => reader.files?.(item))
    for (const file of Array.isArray(named) ? named : []) if (isText(file)) files.add(file)
    const prompt = tryReading(() => reader.prompt?.(item))
    if (isText(prompt)) prompts.push(prompt)
    const itemSummary = tryReading(() => reader.summary?.(item))
    if (isText(itemSummary)) summary = itemSummary
    const count = tryReading(() => reader.tokens?.(item))
    if (count) counts.set(count.id ?? `#${counts.size}`, count)
  }
  return {
    files: [...files],
    prompts,
    tokens: addCounts([...counts.values()]),
    ...given({ summary }),
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

// A new version of an agent writes items that the author has not seen: they must not keep the others from
// being read.
function tryReading<Value>(question: () => Value): Value | undefined {
  try {
    return question()
  } catch {
    return undefined
  }
}

export function addCounts(counts: TokenCount[]): TokenTotal {
  const total: TokenTotal = { input: 0, output: 0, cacheCreation: 0, cacheRead: 0, calls: 0 }
  for (const count of counts) {
    total.input += whole(count.input)
    total.output += whole(count.output)
    total.cacheCreation += whole(count.cacheCreation)
    total.cacheRead += whole(count.cacheRead)
    total.calls += whole(count.calls ?? 1)
  }
  return total
}

function whole(value: number | undefined): number {
  return value !== undefined && Number.isSafeInteger(value) && value > 0 ? value : 0
}
