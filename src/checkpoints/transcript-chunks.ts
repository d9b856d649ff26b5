// Cuts transcripts into chunks and joins them again: hosts refuse large blobs, and a save must not rewrite
// what an earlier one stored.

import type { TranscriptCutter, TranscriptFormat } from '../model/agent.ts'
import type { StoredChunk } from '../model/session.ts'
import { EntireError } from '../std/errors.ts'
import { asObject, parseJson } from '../std/json.ts'

/** The size at which transcripts are cut. */
export const chunkBytes = 4 * 1024 * 1024
/** The largest blob; readers accept anything up to it. */
export const maxBlobBytes = 50 * 1024 * 1024

const newlineByte = 0x0a

/**
 * Cuts at line ends into chunks of at most `max` bytes; a longer line is a chunk of its own. Chunks join with
 * a newline to exactly the input: the newline at a cut belongs to no chunk, one at the end of the input stays
 * in the last chunk.
 */
export function chunkLines(text: Buffer, max: number): Buffer[] {
  const chunks: Buffer[] = []
  let start = 0
  while (text.length - start > max) {
    const within = text.lastIndexOf(newlineByte, Math.min(start + max, text.length - 2))
    const cut = within >= start ? within : text.indexOf(newlineByte, start)
    if (cut === -1 || cut === text.length - 1) break
    chunks.push(storable(text.subarray(start, cut)))
    start = cut + 1
  }
  return [...chunks, storable(text.subarray(start))]
}

/** Cuts a JSON document between its messages, and any other text at line ends. Joins to exactly the input. */
export function chunkDocument(text: Buffer, max: number): Buffer[] {
  if (text.length <= max) return [storable(text)]
  const list = findMessages(text)
  if (list === undefined) return chunkLines(text, max)
  const head = text.subarray(0, list.start)
  const tail = text.subarray(list.end)
  const chunks: Buffer[] = []
  let start = list.start
  let end = start
  const close = () => {
    const [before, after] = chunks.length === 0 ? [head, tail] : [openChunk, closeChunk]
    chunks.push(storable(Buffer.concat([before, text.subarray(start, end), after])))
  }
  for (const comma of [...list.commas, list.end]) {
    const frame = chunks.length === 0 ? head.length + tail.length : openChunk.length + closeChunk.length
    if (end > start && frame + comma - start > max) {
      close()
      start = end + 1
    }
    end = comma
  }
  close()
  return chunks
}

/**
 * Documents with messages become one document with the other keys of the first; other chunks are joined as
 * lines.
 */
export function joinChunks(chunks: Buffer[]): Buffer {
  if (chunks.length < 2) return chunks[0] ?? Buffer.alloc(0)
  const lists: MessageList[] = []
  for (const chunk of chunks) {
    const list = findMessages(chunk)
    if (list === undefined) return joinWith('\n', chunks)
    lists.push(list)
  }
  return joinDocuments(chunks, lists)
}

/**
 * Joins stored chunks. An agent that cuts its own transcripts is asked when joining them the usual way gives
 * another digest.
 */
export async function joinStored(
  chunks: Buffer[],
  digest: string | undefined,
  joiner: Pick<TranscriptCutter, 'join'> | undefined,
): Promise<Buffer> {
  const plain = joinChunks(chunks)
  const isWhole = (bytes: Buffer) => digestOf(bytes) === digest
  if (joiner === undefined || digest === undefined || chunks.length < 2 || isWhole(plain)) return plain
  return (await joiner.join(chunks, isWhole)) ?? plain
}

export function digestOf(bytes: Buffer): string {
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
}

/** Lines in the form to store: some agents write data in them that only their maker can read. */
export function stripLines({ strip }: Pick<TranscriptFormat, 'strip'>, text: string): string {
  if (strip === undefined) return text
  return text
    .split('\n')
    .map((line) => strip(line))
    .join('\n')
}

function joinWith(separator: string, chunks: Buffer[]): Buffer {
  const between = Buffer.from(separator)
  return Buffer.concat(chunks.flatMap((chunk, index) => (index === 0 ? [chunk] : [between, chunk])))
}

/**
 * How many stored chunks stay as they are when text is appended; the others are merged with it.
 *
 * Works like a binary counter: the last chunk is merged only while it is less than twice the size of what it
 * is merged with and both fit a chunk. So each byte is rewritten a logarithmic number of times, and of two
 * neighbours the first is at least twice the second or they fill a chunk: a day of small appends leaves about
 * log2(chunkBytes) open chunks, and no sequence more than 24 × (1 + 2 × total / chunkBytes). Two chunks that
 * `chunkLines` cut apart never fit a chunk together, so neither is merged into the other.
 */
export function planAppend(chunks: Pick<StoredChunk, 'bytes'>[], appendedBytes: number): { keep: number } {
  let keep = chunks.length
  for (let size = appendedBytes; keep > 0; keep -= 1) {
    const tail = chunks[keep - 1]!.bytes
    if (tail >= 2 * size || tail + 1 + size > chunkBytes) break
    size += tail + 1
  }
  return { keep }
}

function storable(chunk: Buffer): Buffer {
  if (chunk.length <= maxBlobBytes) return chunk
  const size = Math.ceil(chunk.length / 1024 / 1024)
  throw new EntireError(
    'transcript-too-large',
    `The transcript holds a single entry of ${size} MiB; the limit is 50 MiB.`,
    {
      hint: 'Look for pasted binary data or an endless line in the transcript, remove it, and commit again.',
    },
  )
}

const openChunk = Buffer.from('{"messages":[')
const closeChunk = Buffer.from(']}')

/** Positions of the text between the brackets of the messages, and of the commas between the messages. */
interface MessageList {
  start: number
  end: number
  commas: number[]
}

function joinDocuments(chunks: Buffer[], lists: MessageList[]): Buffer {
  const bodies = chunks.map((chunk, index) => chunk.subarray(lists[index]!.start, lists[index]!.end))
  const filled = bodies.filter((body) => body.toString('latin1').trim() !== '')
  return Buffer.concat([
    chunks[0]!.subarray(0, lists[0]!.start),
    joinWith(',', filled),
    chunks[0]!.subarray(lists[0]!.end),
  ])
}

// Works on the text, not on parsed values, so that large numbers, key order and indentation are preserved.
function findMessages(text: Buffer): MessageList | undefined {
  if (text[0] !== 0x7b && text.subarray(0, 64).toString('latin1').trimStart()[0] !== '{') return undefined
  if (!Array.isArray(asObject(parseJson(text.toString('utf8')))?.messages)) return undefined
  let found: MessageList | undefined
  let depth = 0
  let inside: MessageList | undefined
  let key = ''
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at]
    if (byte === 0x22) {
      const end = stringEnd(text, at)
      if (depth === 1) key = text.subarray(at + 1, end).toString('latin1')
      at = end
    } else if (byte === 0x7b || byte === 0x5b) {
      depth += 1
      if (byte === 0x5b && depth === 2 && key === 'messages') inside = { start: at + 1, end: -1, commas: [] }
    } else if (byte === 0x7d || byte === 0x5d) {
      if (inside !== undefined && depth === 2) found = { ...inside, end: at }
      if (depth === 2) inside = undefined
      depth -= 1
    } else if (byte === 0x2c) {
      if (depth === 2) inside?.commas.push(at)
      if (depth === 1) key = ''
    }
  }
  return found
}

function stringEnd(text: Buffer, start: number): number {
  let at = start + 1
  while (text[at] !== 0x22) at += text[at] === 0x5c ? 2 : 1
  return at
}
