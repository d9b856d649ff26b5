// Opens the work tree for a rewind, a reset or an undo: locked, cleared of leftovers, uninterrupted.

import type { Oid } from '../git/oid.ts'
import type { Status } from '../git/status.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { type GitSession, openGit } from '../sessions/git-session.ts'
import { clearOrphanedLocks } from '../sessions/orphaned-locks.ts'
import { lockFile } from '../sessions/save.ts'
import { EntireError } from '../std/errors.ts'
import { takeLock } from '../std/lock.ts'
import { type Disk, lookAtDisk } from './disk.ts'
import { clearStage } from './write-files.ts'

export interface RewindOptions {
  dryRun: boolean
  /** Restores the exact state, also where it takes back what the person did. */
  everything?: boolean
  /** Only these files, or files below these directories; the empty path is the top of the work tree. */
  paths?: string[]
  /** The directory the user is in, from the top of the work tree. It stays, even when it becomes empty. */
  cwdInRepo?: string | undefined
  /** The person has called `entire redo`: what brings a turn again is the undo of a rewind. */
  asRedo?: boolean
}

export interface LockedWorktree {
  recorder: Recorder
  git: GitSession
  disk: Disk
}

export const lockWaitMs = 10_000

export async function withLockedWorktree<T>(
  recorder: Recorder,
  act: (worktree: LockedWorktree) => Promise<T>,
): Promise<T> {
  const { repo } = recorder
  using _lock = await takeLock(lockFile(repo), { waitMs: lockWaitMs })
  clearOrphanedLocks(repo)
  clearStage(repo)
  await using git = openGit(repo)
  return await act({ recorder, git, disk: lookAtDisk(repo.root) })
}

export async function readHeadStatus(git: GitSession): Promise<{ status: Status; head: Oid }> {
  const status = await git.status()
  if (status.head !== undefined) return { status, head: status.head }
  throw new EntireError('no-commits', 'This repository has no commits yet.', {
    hint: 'The first turn after the first commit creates the first rewind point.',
  })
}

/** Ignores Ctrl-C and the like for an instant: stopping between two files would leave half of a rewind. */
export async function uninterrupted<T>(act: () => Promise<T>): Promise<T> {
  const ignore = () => {}
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, ignore)
  try {
    return await act()
  } finally {
    for (const signal of signals) process.off(signal, ignore)
  }
}
