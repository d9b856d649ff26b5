// The fingerprint of a stored transcript: sha256 over its pieces joined. Made when a checkpoint is written, from where it was left last time.
import type { ObjectReader } from '../git/cat-file.ts'
import type { TranscriptCursor } from '../model/session.ts'
import { EntireError } from '../std/errors.ts'
import { sha256Append, sha256Digest } from '../std/sha256.ts'
import { joinChunks } from './chunk.ts'
import { newline } from './chunk-writer.ts'

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
      if (position > 0 && cursor.hashed < position) append(cursor, newline)
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
