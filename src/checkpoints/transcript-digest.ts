// Computes the digest of a stored transcript, continuing from where the last checkpoint left it.

import type { ObjectReader } from '../git/cat-file.ts'
import type { TranscriptCursor } from '../model/session.ts'
import { sha256Append, sha256Digest } from '../std/sha256.ts'
import { lineFeed, missingChunk } from './chunk-store.ts'
import { digestOf, joinChunks } from './transcript-chunks.ts'

// Up to this size, hashing everything natively is faster than continuing a saved state in a fresh process.
const nativeBytes = 1024 * 1024

/**
 * Hex sha256 over the joined chunks. The cursor remembers how far the hash got. Throws `not-found` when a
 * chunk is missing.
 */
export async function digestTranscript(objects: ObjectReader, cursor: TranscriptCursor): Promise<string> {
  const total = cursor.chunks.reduce((sum, chunk) => sum + chunk.bytes + 1, -1)
  if (cursor.digest === undefined && (total <= nativeBytes || isDocument(cursor))) {
    const contents = await Promise.all(cursor.chunks.map((chunk) => readChunk(objects, chunk.oid)))
    return digestOf(joinChunks(contents))
  }
  const infos = await Promise.all(cursor.chunks.map((chunk) => objects.info(chunk.oid)))
  const gone = cursor.chunks[infos.indexOf(undefined)]
  if (gone !== undefined) throw missingChunk(gone.oid)
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

// Documents are rewritten as a whole, so they have no seal.
function isDocument(cursor: TranscriptCursor): boolean {
  return cursor.seal === ''
}

async function readChunk(objects: ObjectReader, oid: string): Promise<Buffer> {
  const object = await objects.contents(oid)
  if (object === undefined) throw missingChunk(oid)
  return object.content
}
