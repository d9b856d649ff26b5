// Transcripts are stored in pieces: hosts refuse large blobs, and a save must not rewrite what an earlier save has stored.

import type { ObjectReader } from '../git/cat-file.ts'
import { blobOid, type Oid } from '../git/oid.ts'
import type { TranscriptFormat, TranscriptPieces } from '../model/agent.ts'
import type { StoredChunk, TranscriptCursor } from '../model/session.ts'
import { EntireError } from '../std/errors.ts'
import { asObject, parseJson } from '../std/json.ts'
import { prefetch } from '../std/prefetch.ts'

/** Where we cut. */
export const chunkBytes = 4 * 1024 * 1024
/** What no blob may exceed; readers accept anything up to it. */
export const maxBlobBytes = 50 * 1024 * 1024

const newlineByte = 0x0a

/**
 * Cuts at line ends into pieces of at most `max` bytes; a longer line is a piece of its own. Pieces join with a newline to exactly the
 * input: the newline at a cut belongs to no piece, one at the very end of the input stays in the last piece.
 */
export function chunkLines(text: Buffer, max: number): Buffer[] {
  const pieces: Buffer[] = []
  let start = 0
  while (text.length - start > max) {
    const within = text.lastIndexOf(newlineByte, Math.min(start + max, text.length - 2))
    const cut = within >= start ? within : text.indexOf(newlineByte, start)
    if (cut === -1 || cut === text.length - 1) break
    pieces.push(storable(text.subarray(start, cut)))
    start = cut + 1
  }
  return [...pieces, storable(text.subarray(start))]
}

/** Cuts a JSON document between its messages; what is no such document is cut like lines. Joins to exactly the input. */
export function chunkDocument(text: Buffer, max: number): Buffer[] {
  if (text.length <= max) return [storable(text)]
  const list = findMessages(text)
  if (list === undefined) return chunkLines(text, max)
  const head = text.subarray(0, list.start)
  const tail = text.subarray(list.end)
  const pieces: Buffer[] = []
  let start = list.start
  let end = start
  const close = () => {
    const [before, after] = pieces.length === 0 ? [head, tail] : [openPiece, closePiece]
    pieces.push(storable(Buffer.concat([before, text.subarray(start, end), after])))
  }
  for (const comma of [...list.commas, list.end]) {
    const frame = pieces.length === 0 ? head.length + tail.length : openPiece.length + closePiece.length
    if (end > start && frame + comma - start > max) {
      close()
      start = end + 1
    }
    end = comma
  }
  close()
  return pieces
}

/** Pieces that are all documents with messages become one document with the other keys of the first; all others are lines. */
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

function joinWith(separator: string, pieces: Buffer[]): Buffer {
  const between = Buffer.from(separator)
  return Buffer.concat(pieces.flatMap((piece, index) => (index === 0 ? [piece] : [between, piece])))
}

/**
 * How many stored pieces stay as they are when text is appended; the others are joined with it.
 *
 * Works like a binary counter: a tail is taken in only while it is less than twice what it joins and both fit a chunk. So each byte is
 * rewritten a logarithmic number of times, and of two neighbours the first is twice the second or they fill a chunk: a day of small
 * appends leaves about log2(chunkBytes) open pieces, and no sequence more than 24 × (1 + 2 × total / chunkBytes).
 * Two pieces that `chunkLines` cut apart never fit a chunk together, so neither is taken back in by the other.
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

function storable(piece: Buffer): Buffer {
  if (piece.length <= maxBlobBytes) return piece
  const size = Math.ceil(piece.length / 1024 / 1024)
  throw new EntireError(
    'transcript-too-large',
    `The transcript holds a single entry of ${size} MiB; the limit is 50 MiB.`,
    {
      hint: 'Look for pasted binary data or an endless line in the transcript, remove it, and commit again.',
    },
  )
}

const openPiece = Buffer.from('{"messages":[')
const closePiece = Buffer.from(']}')

/** The text between the brackets of the messages, as positions, and the commas between the messages. */
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

// Works on the text, not on parsed values: large numbers, key order and indentation come back as they were.
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

// Appends lines to the stored pieces of a transcript. Full pieces are never touched again; small ones at the end grow together.

export const lineFeed = Buffer.from('\n')

export interface FreshBlob {
  oid: Oid
  content: Buffer
}

export interface ChunkStore {
  /** Stores a blob; its id is computed here, so no answer is awaited. */
  store(blob: FreshBlob): void
  objects: ObjectReader
  /** Any object id of the repository, for the kind of hash. */
  sampleOid: Oid
}

// Stored pieces join with a newline, so each piece but the last drops the one it ends with.
export function chunkWriter(source: ChunkStore, stored: StoredChunk[], expectedBytes: number) {
  const chunks = [...stored]
  // Git answers while the new lines are being redacted.
  const last = planAppend(stored, expectedBytes).keep < stored.length ? stored.at(-1) : undefined
  const tail = last && prefetch(source.objects.contents(last.oid))
  let pending: Buffer[] = []
  let pendingBytes = 0

  async function write(content: Buffer): Promise<void> {
    const { keep } = planAppend(chunks, content.length)
    const merged: Buffer[] = []
    for (const chunk of chunks.splice(keep)) {
      const object = await (chunk === last ? tail : source.objects.contents(chunk.oid))
      if (object === undefined)
        throw new EntireError('not-found', `Stored transcript piece ${chunk.oid} is missing.`)
      merged.push(object.content, lineFeed)
    }
    const piece = Buffer.concat([...merged, content])
    const oid = blobOid(piece, source.sampleOid)
    source.store({ oid, content: piece })
    chunks.push({ oid, bytes: piece.length })
  }

  async function flush(): Promise<void> {
    if (pendingBytes === 0) return
    const content = Buffer.concat(pending)
    pending = []
    pendingBytes = 0
    await write(withoutFinalNewline(content))
  }

  return {
    chunks,
    flush,
    async append(lines: Buffer): Promise<void> {
      for (let at = 0; at < lines.length; ) {
        const room = Math.max(chunkBytes - pendingBytes, 1)
        let end = at + room >= lines.length ? lines.length : lines.lastIndexOf(10, at + room) + 1
        if (end <= at) end = pendingBytes > 0 ? at : lines.indexOf(10, at) + 1 || lines.length
        pending.push(lines.subarray(at, end))
        pendingBytes += end - at
        at = end
        if (at < lines.length || pendingBytes >= chunkBytes) await flush()
      }
    },
  }
}

export function withoutFinalNewline(content: Buffer): Buffer {
  return content.at(-1) === 10 ? content.subarray(0, -1) : content
}

// What of a transcript's lines is worth storing: some agents write things in them that nobody but their maker can read.

export function stripLines({ strip }: Pick<TranscriptFormat, 'strip'>, text: string): string {
  if (strip === undefined) return text
  return text
    .split('\n')
    .map((line) => strip(line))
    .join('\n')
}

// Documents are cut by their agent where it has a way of its own, and else by us. What the agent has cut only the agent can join, so its
// fingerprint is kept: whoever joins the pieces must know whether they did it right.

type Cutter = Pick<TranscriptPieces, 'cut'>
type Stored = Pick<TranscriptCursor, 'chunks' | 'digest'>

/** Stores a document. One that the agent has cut before, and that has not changed, stays as it is stored. */
export async function storeDocument(
  source: Pick<ChunkStore, 'store' | 'sampleOid'> & { cutter?: Cutter | undefined },
  whole: Buffer,
  known: Stored | undefined,
): Promise<Stored> {
  const digest = source.cutter === undefined || whole.length <= chunkBytes ? undefined : digestOf(whole)
  if (digest !== undefined && digest === known?.digest) return { chunks: known.chunks, digest }
  const own = digest === undefined ? undefined : await source.cutter?.cut(whole, chunkBytes)
  const chunks = (own ?? chunkDocument(whole, chunkBytes)).map((content) => {
    const oid = blobOid(content, source.sampleOid)
    source.store({ oid, content })
    return { oid, bytes: content.length }
  })
  return { chunks, ...(own === undefined || digest === undefined ? {} : { digest }) }
}

/** Pieces as they were stored. An agent with a way of its own is asked where joining them as we do gives something else. */
export async function joinStored(
  pieces: Buffer[],
  digest: string | undefined,
  joiner: Pick<TranscriptPieces, 'join'> | undefined,
): Promise<Buffer> {
  const plain = joinChunks(pieces)
  const isWhole = (bytes: Buffer) => digestOf(bytes) === digest
  if (joiner === undefined || digest === undefined || pieces.length < 2 || isWhole(plain)) return plain
  return (await joiner.join(pieces, isWhole)) ?? plain
}

export function digestOf(bytes: Buffer): string {
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
}
