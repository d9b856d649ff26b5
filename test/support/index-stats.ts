// Tells the index of a copied repository the times and inodes of the copied files, as `git update-index
// --refresh` does, without a process.
import { createHash } from 'node:crypto'
import { type BigIntStats, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// https://git-scm.com/docs/index-format
const [headerBytes, entryBytes, checksumBytes] = [12, 62, 20]

/** False for an index in another format than that of ordinary repositories: nothing is changed then. */
export function refreshIndex(root: string, indexFile: string): boolean {
  const index = readFileSync(indexFile)
  const body = index.subarray(0, -checksumBytes)
  if (index.readUInt32BE(4) !== 2 || !sha1(body).equals(index.subarray(-checksumBytes))) return false
  let at = headerBytes
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const end = index.indexOf(0, at + entryBytes)
    const path = index.subarray(at + entryBytes, end)
    const stat = lstatSync(Buffer.concat([Buffer.from(`${join(root, '/')}`), path]), {
      bigint: true,
      throwIfNoEntry: false,
    })
    if (stat !== undefined) writeStat(index, at, stat)
    // Each entry is padded with one to eight zeros.
    at += Math.floor((end - at) / 8) * 8 + 8
  }
  sha1(body).copy(index, body.length)
  writeFileSync(indexFile, index)
  return true
}

function writeStat(index: Buffer, at: number, { ctimeNs, mtimeNs, dev, ino }: BigIntStats): void {
  const billion = 1_000_000_000n
  const fields = [ctimeNs / billion, ctimeNs % billion, mtimeNs / billion, mtimeNs % billion, dev, ino]
  for (const [place, value] of fields.entries())
    index.writeUInt32BE(Number(BigInt.asUintN(32, value)), at + 4 * place)
}

function sha1(bytes: Uint8Array): Buffer {
  return createHash('sha1').update(bytes).digest()
}
