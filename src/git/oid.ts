// Defines object ids: 40 hex digits, or 64 in sha256 repositories.

import { closeSync, fstatSync } from 'node:fs'
import { openRegular, readRange } from '../std/file.ts'

export type Oid = string

const pieceBytes = 1024 * 1024

export function isOid(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

/**
 * The tree without files, which git knows in every repository. It stands for HEAD before the first commit.
 * https://git-scm.com/docs/gitglossary#Documentation/gitglossary.txt-unborn
 */
const emptyTrees = {
  sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
}

export function emptyTree(hash: keyof typeof emptyTrees): Oid {
  return emptyTrees[hash]
}

export function isEmptyTree(oid: Oid): boolean {
  return Object.values(emptyTrees).includes(oid)
}

/**
 * The id git would give a blob, computed without asking git. Any oid of the repository tells the kind of
 * hash.
 */
export function blobOid(content: Uint8Array, sampleOid: Oid): Oid {
  const hasher = new Bun.CryptoHasher(sampleOid.length === 64 ? 'sha256' : 'sha1')
  hasher.update(`blob ${content.length}\0`)
  hasher.update(content)
  return hasher.digest('hex')
}

/** The same for a file, which is read in pieces. Undefined when it changes its size meanwhile. */
export function fileOid(path: string | Buffer, sampleOid: Oid): Oid | undefined {
  const fd = openRegular(path)
  try {
    const { size } = fstatSync(fd)
    const hasher = new Bun.CryptoHasher(sampleOid.length === 64 ? 'sha256' : 'sha1')
    hasher.update(`blob ${size}\0`)
    let at = 0
    for (let piece = readRange(fd, 0, pieceBytes); piece.length > 0; piece = readRange(fd, at, pieceBytes)) {
      hasher.update(piece)
      at += piece.length
    }
    return at === size ? hasher.digest('hex') : undefined
  } finally {
    closeSync(fd)
  }
}
