// Reads how HEAD of a work tree has moved, from its reflog and without a process. Positions are in bytes: the file only
// grows, except when git expires old entries.

import { closeSync } from 'node:fs'
import { join } from 'node:path'
import { findStat, openRegular, readRange } from '../std/file.ts'
import type { Oid } from './oid.ts'
import type { Repo } from './repo.ts'

export interface HeadMove {
  before: Oid
  after: Oid
  /** Made here by a plain `git commit`: no merge, no amended commit, none that was pulled or replayed. */
  isCommit: boolean
  isCheckout: boolean
  /** Where its entry begins and ends. */
  start: number
  end: number
}

/** 0 where there is no such file, as with refs in tables. */
export function headLogSize(repo: Repo): number {
  return findStat(headLog(repo))?.size ?? 0
}

/** More than happens between two events. */
const mostBytes = 256 * 1024

/** The moves since a position, oldest first. */
export function readHeadMoves(repo: Repo, from: number): HeadMove[] {
  const size = headLogSize(repo)
  const start = Math.max(from, size - mostBytes)
  if (start >= size) return []
  const fd = openRegular(headLog(repo))
  try {
    return parseMoves(readRange(fd, start, size - start), start)
  } finally {
    closeSync(fd)
  }
}

const actions = { isCommit: ['commit: ', 'commit (initial): '], isCheckout: ['checkout: '] }

// An entry is `<before> <after> <name> <email> <seconds> <zone>`, a tab and the action.
function parseMoves(bytes: Buffer, from: number): HeadMove[] {
  const moves: HeadMove[] = []
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, at)
    if (newline < 0) break
    const line = bytes.toString('utf8', at, newline)
    const tab = line.indexOf('\t')
    const [before = '', after = ''] = line.split(' ', 2)
    const is = (action: keyof typeof actions) =>
      tab > 0 && actions[action].some((begin) => line.startsWith(begin, tab + 1))
    if (isOid(before) && isOid(after))
      moves.push({
        before,
        after,
        isCommit: is('isCommit'),
        isCheckout: is('isCheckout'),
        start: from + at,
        end: from + newline + 1,
      })
    at = newline + 1
  }
  return moves
}

function isOid(text: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(text)
}

function headLog({ gitDir }: Repo): string {
  return join(gitDir, 'logs', 'HEAD')
}
