// What the hooks of a commit ask git at once, while the rest of the program is being loaded.

import { copyNames } from '../checkpoints/copies.ts'
import { checkpointRef, shadowRef } from '../checkpoints/layout.ts'
import type { PrefetchedCatFile } from '../git/cat-file-process.ts'
import { type CommitInfo, readHeadCommit, readStaged, readStagedAmong } from '../git/commit.ts'
import type { Repo } from '../git/repo.ts'
import type { ChangedFile } from '../git/tree-diff.ts'
import { type LiveSession, peekLive } from '../sessions/live-peek.ts'
import { recordingStamp } from '../sessions/prefetch-status.ts'
import { type GitSession, openGit } from '../sessions/work.ts'
import { prefetch } from '../std/prefetch.ts'
import { readPending } from './pending.ts'

export interface PrefetchedLink {
  git: GitSession
  /** Those of the sessions' files that are staged; undefined when git is better asked for all. */
  stagedOfSessions: Promise<ChangedFile[]> | undefined
  /** All that is staged. */
  staged(): Promise<ChangedFile[]>
}

/** Sources of messages that keep the link they have, or get none. */
const neverLinked = ['commit', 'merge', 'squash']

/** More than this are not asked for one by one. */
const maxFiles = 64

export function prefetchLink(
  repo: Repo,
  source: string,
  early?: PrefetchedCatFile,
): PrefetchedLink | undefined {
  const sessions = neverLinked.includes(source) ? [] : peekLive(repo)
  if (sessions.length === 0) return undefined
  const git = openGit(repo, { reading: { index: repo.env.GIT_INDEX_FILE, prefetched: early } })
  const files = new Set(sessions.flatMap((session) => session.files))
  let staged: Promise<ChangedFile[]> | undefined
  const readAll = () => {
    staged ??= prefetch(readStaged(repo))
    return staged
  }
  // What a running session does in this turn, its transcript tells: any file may be its.
  const isKnown = !sessions.some(({ active }) => active) && files.size <= maxFiles
  if (!isKnown) readAll()
  git.prefetch('objects')
  // An answer that fails leaves the question to `git diff`.
  const known = isKnown ? readStagedAmong(git.objects, [...files]).catch(() => []) : undefined
  prefetchSteps(git, repo, sessions)
  return { git, stagedOfSessions: known, staged: readAll }
}

export interface PrefetchedCommit {
  git: GitSession
  head: Promise<CommitInfo | undefined>
  /** When it was asked. */
  stamp: string
}

/** Of a commit that was promised a checkpoint there will be something to write. */
export function prefetchCommit(repo: Repo, early?: PrefetchedCatFile): PrefetchedCommit | undefined {
  const pending = readPending(repo)
  if (pending === undefined) return undefined
  const recorded = recordingStamp(repo)
  const git = openGit(repo, { reading: { prefetched: early } })
  const head = prefetch(readHeadCommit(repo, git.objects))
  prefetchSteps(git, repo, peekLive(repo))
  prefetch(git.objects.info(checkpointRef(pending.checkpoint)))
  for (const name of copyNames(pending.checkpoint).flat()) prefetch(git.objects.contents(name))
  return { git, head, stamp: recorded }
}

// Whoever asks again gets the answer that is there.
function prefetchSteps({ objects }: GitSession, { worktreeId }: Repo, sessions: LiveSession[]): void {
  const names = sessions.flatMap(({ base, files }) =>
    files.map((path) => `${shadowRef(base, worktreeId)}:${path}`),
  )
  for (const base of new Set(sessions.map((session) => session.base)))
    prefetch(objects.info(shadowRef(base, worktreeId)))
  for (const name of names.length > maxFiles ? [] : names) prefetch(objects.info(name))
}
