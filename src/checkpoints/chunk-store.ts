// Stores transcripts as chunks: appends lines to stored chunks, and replaces documents.

import type { ObjectReader } from '../git/cat-file.ts'
import { blobOid, type Oid } from '../git/oid.ts'
import type { TranscriptCutter } from '../model/agent.ts'
import type { StoredChunk, TranscriptCursor } from '../model/session.ts'
import { type EntireError, notFound } from '../std/errors.ts'
import { prefetch } from '../std/prefetch.ts'
import { chunkBytes, chunkDocument, digestOf, planAppend } from './transcript-chunks.ts'

export const lineFeed = Buffer.from('\n')

export interface FreshBlob {
  oid: Oid
  content: Buffer
}

export interface ChunkStore {
  /** Stores a blob. Its id is computed here, so no answer from git is awaited. */
  store(blob: FreshBlob): void
  objects: ObjectReader
  /** Any object id of the repository, which tells the kind of hash. */
  sampleOid: Oid
}

/**
 * Appends lines to stored chunks. Full chunks are never touched again; small ones at the end are merged.
 * Chunks join with a newline, so each drops the one it ends with. An empty chunk follows a last line that has
 * ended: so every reader joins them to a text that ends as the agent's file does, and none is rewritten for it.
 */
export class ChunkWriter {
  readonly chunks: StoredChunk[]
  readonly #source: ChunkStore
  readonly #last: StoredChunk | undefined
  readonly #lastContent: ReturnType<ObjectReader['contents']> | undefined
  #pending: Buffer[] = []
  #pendingBytes = 0
  #hasWritten = false
  #isEnded = false

  constructor(source: ChunkStore, stored: StoredChunk[], expectedBytes: number) {
    this.#source = source
    this.chunks = [...stored]
    // Git answers while the new lines are being redacted.
    const lines = withoutEnd(stored)
    this.#last = planAppend(lines, expectedBytes).keep < lines.length ? lines.at(-1) : undefined
    this.#lastContent = this.#last && prefetch(source.objects.contents(this.#last.oid))
  }

  async append(lines: Buffer): Promise<void> {
    for (let at = 0; at < lines.length; ) {
      const room = Math.max(chunkBytes - this.#pendingBytes, 1)
      let end = at + room >= lines.length ? lines.length : lines.lastIndexOf(10, at + room) + 1
      if (end <= at) end = this.#pendingBytes > 0 ? at : lines.indexOf(10, at) + 1 || lines.length
      this.#pending.push(lines.subarray(at, end))
      this.#pendingBytes += end - at
      at = end
      if (at < lines.length || this.#pendingBytes >= chunkBytes) await this.#flush()
    }
  }

  async finish(): Promise<void> {
    await this.#flush()
    if (this.#isEnded) this.chunks.push(storeChunk(this.#source, Buffer.alloc(0)))
  }

  async #flush(): Promise<void> {
    if (this.#pendingBytes === 0) return
    const content = Buffer.concat(this.#pending)
    this.#pending = []
    this.#pendingBytes = 0
    if (!this.#hasWritten) this.chunks.splice(withoutEnd(this.chunks).length)
    this.#hasWritten = true
    this.#isEnded = content.at(-1) === 10
    await this.#write(this.#isEnded ? content.subarray(0, -1) : content)
  }

  async #write(content: Buffer): Promise<void> {
    const { keep } = planAppend(this.chunks, content.length)
    const merged: Buffer[] = []
    for (const chunk of this.chunks.splice(keep)) {
      const object = await (chunk === this.#last
        ? this.#lastContent
        : this.#source.objects.contents(chunk.oid))
      if (object === undefined) throw missingChunk(chunk.oid)
      merged.push(object.content, lineFeed)
    }
    this.chunks.push(storeChunk(this.#source, Buffer.concat([...merged, content])))
  }
}

function withoutEnd(chunks: StoredChunk[]): StoredChunk[] {
  return chunks.at(-1)?.bytes === 0 ? chunks.slice(0, -1) : chunks
}

function storeChunk(source: Pick<ChunkStore, 'store' | 'sampleOid'>, content: Buffer): StoredChunk {
  const oid = blobOid(content, source.sampleOid)
  source.store({ oid, content })
  return { oid, bytes: content.length }
}

export function missingChunk(oid: Oid): EntireError {
  return notFound('transcript chunk', oid)
}

export interface DocumentStore extends Pick<ChunkStore, 'store' | 'sampleOid'> {
  /** Cuts documents, for agents that do it themselves. Only the agent can join such chunks again. */
  cutter?: Pick<TranscriptCutter, 'cut'> | undefined
}

type StoredDocument = Pick<TranscriptCursor, 'chunks' | 'digest'>

/**
 * Stores a document. One that the agent has cut is stored with its digest, by which a reader sees that it was
 * joined correctly; while the digest stays the same, so do the chunks.
 */
export async function storeDocument(
  source: DocumentStore,
  whole: Buffer,
  known: StoredDocument | undefined,
): Promise<StoredDocument> {
  const digest = source.cutter === undefined || whole.length <= chunkBytes ? undefined : digestOf(whole)
  if (digest !== undefined && digest === known?.digest) return { chunks: known.chunks, digest }
  const cutByAgent = digest === undefined ? undefined : await source.cutter?.cut(whole, chunkBytes)
  const chunks = (cutByAgent ?? chunkDocument(whole, chunkBytes)).map((chunk) => storeChunk(source, chunk))
  return { chunks, ...(cutByAgent === undefined || digest === undefined ? {} : { digest }) }
}
