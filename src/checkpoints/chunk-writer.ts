// Appends lines to the stored pieces of a transcript. Full pieces are never touched again; small ones at the end grow together.
import type { ObjectReader } from '../git/cat-file.ts'
import { blobOid, type Oid } from '../git/oid.ts'
import type { StoredChunk } from '../model/session.ts'
import { EntireError } from '../std/errors.ts'
import { chunkBytes, planAppend } from './chunk.ts'

export const newline = Buffer.from('\n')

export interface FreshBlob {
  oid: Oid
  content: Buffer
}

export interface ChunkStore {
  /** Stores a blob; its id is computed here, so no answer is awaited. */
  store(blob: FreshBlob): void
  objects: ObjectReader
  /** Any object id of the repository, for the kind of hash. */
  like: Oid
}

// Stored pieces join with a newline, so each piece but the last drops the one it ends with.
export function chunkWriter(source: ChunkStore, stored: StoredChunk[], expectedBytes: number) {
  const chunks = [...stored]
  // Asked for now: git answers while the new lines are being redacted. Whoever needs it hears of a failure.
  const last = planAppend(stored, expectedBytes).keep < stored.length ? stored.at(-1) : undefined
  const tail = last && source.objects.contents(last.oid)
  tail?.catch(() => {})
  let pending: Buffer[] = []
  let pendingBytes = 0

  async function write(content: Buffer): Promise<void> {
    const { keep } = planAppend(chunks, content.length)
    const merged: Buffer[] = []
    for (const chunk of chunks.splice(keep)) {
      const object = await (chunk === last ? tail : source.objects.contents(chunk.oid))
      if (object === undefined) throw new EntireError('not-found', `Stored transcript piece ${chunk.oid} is missing.`)
      merged.push(object.content, newline)
    }
    const piece = Buffer.concat([...merged, content])
    const oid = blobOid(piece, source.like)
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
