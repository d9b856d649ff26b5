// Documents are cut by their agent where it has a way of its own, and else by us. What the agent has cut only the agent can join, so its
// fingerprint is kept: whoever joins the pieces must know whether they did it right.
import { blobOid } from '../git/oid.ts'
import type { TranscriptCursor } from '../model/session.ts'
import type { TranscriptPieces } from '../model/transcript-pieces.ts'
import { chunkBytes, chunkDocument, joinChunks } from './chunk.ts'
import type { ChunkStore } from './chunk-writer.ts'

type Cutter = Pick<TranscriptPieces, 'cut'>
type Stored = Pick<TranscriptCursor, 'chunks' | 'digest'>

/** Stores a document. One that the agent has cut before, and that has not changed, stays as it is stored. */
export async function storeDocument(
  source: Pick<ChunkStore, 'store' | 'like'> & { cutter?: Cutter | undefined },
  whole: Buffer,
  known: Stored | undefined,
): Promise<Stored> {
  const digest = source.cutter === undefined || whole.length <= chunkBytes ? undefined : digestOf(whole)
  if (digest !== undefined && digest === known?.digest) return { chunks: known.chunks, digest }
  const own = digest === undefined ? undefined : await source.cutter?.cut(whole, chunkBytes)
  const chunks = (own ?? chunkDocument(whole, chunkBytes)).map((content) => {
    const oid = blobOid(content, source.like)
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
