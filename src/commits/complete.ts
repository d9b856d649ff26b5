// Completes a commit whose hook died after the trailer was written: its checkpoint, its sessions, their
// branches.

import { type CommitInfo, readCommit, readCommits } from '../git/commit.ts'
import type { Repo } from '../git/repo.ts'
import { checkpointTrailer, readCheckpointIds } from '../git/trailers.ts'
import { isActive } from '../model/session.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { openGit } from '../sessions/git-session.ts'
import { readLive, updateLive, writeLive } from '../sessions/live-index.ts'
import { clearOrphanedLocks } from '../sessions/orphaned-locks.ts'
import { clearPrompts } from '../sessions/prompts.ts'
import { retrying } from '../sessions/save.ts'
import { readSession } from '../sessions/store.ts'
import { adoptMissedCommits } from './adopt.ts'
import { keepPending, pendingMs, readPending, removePending } from './pending.ts'
import { findRemovals, keepRemovedSteps, recordCommit, sayRemoved } from './record.ts'
import { completeRewrite } from './rewrite.ts'

/**
 * Completes every commit that was promised a checkpoint, oldest first. The caller holds the lock. `made`: a
 * commit that was just made.
 */
export async function completeCommit(recorder: Recorder, made?: CommitInfo): Promise<void> {
  const { repo, clock } = recorder
  clearOrphanedLocks(repo)
  await completeRewrite(recorder)
  const now = clock().getTime()
  const promised = new Set(readPending(repo).map(({ checkpoint }) => checkpoint))
  const commits = promised.size === 0 ? [] : await findPromised(repo, promised, made)
  for (const commit of commits) {
    await retrying(async () => {
      await using git = openGit(repo)
      await recordCommit(recorder, git, commit)
    })
    const checkpoint = readCheckpointIds(commit.message)[0] as string
    await retrying(() => settleAll(recorder, commit, checkpoint))
    removePending(repo, checkpoint, now)
  }
  await adoptMissedCommits(recorder)
  // Without a commit, it was given up, or its message is still being written; turns that are committed by
  // themselves have none to write.
  const mayBeWritten = recorder.settings.strategy === 'manual-commit'
  keepPending(
    repo,
    readPending(repo).filter(({ at }) => mayBeWritten && now - at <= pendingMs),
    now,
  )
}

// The user may have switched branches since; the reflog knows where HEAD has been.
async function findPromised(repo: Repo, promised: Set<string>, made?: CommitInfo): Promise<CommitInfo[]> {
  const found = new Map<string, CommitInfo>()
  const take = (commit: CommitInfo | undefined) => {
    const checkpoint = commit && readCheckpointIds(commit.message)[0]
    if (commit !== undefined && checkpoint !== undefined && promised.has(checkpoint))
      found.getOrInsert(checkpoint, commit)
  }
  take(made)
  take(await readCommit(repo, 'HEAD'))
  const missing = [...promised].filter((checkpoint) => !found.has(checkpoint))
  const walked =
    missing.length === 0
      ? []
      : await readCommits(repo, [
          '--walk-reflogs',
          `--max-count=${4 * missing.length}`,
          '--fixed-strings',
          ...missing.map((checkpoint) => `--grep=${checkpointTrailer}: ${checkpoint}`),
          'HEAD',
        ])
  for (const commit of walked) take(commit)
  return [...found.values()].sort((a, b) => orderOf(a, b))
}

// Commits made within a second are ordered by their parents.
function orderOf(a: CommitInfo, b: CommitInfo): number {
  if (a.parents.includes(b.oid)) return 1
  if (b.parents.includes(a.oid)) return -1
  return a.committedAt - b.committedAt
}

// Settles sessions whose states were written just before the crash: nothing is left to condense, but the
// index and the branches still name them.
async function settleAll(recorder: Recorder, commit: CommitInfo, checkpoint: string): Promise<void> {
  const { repo } = recorder
  await using git = openGit(repo)
  const live = readLive(repo)
  const bases = new Set([...live.sessions.values()].map((entry) => entry.base))
  for (const id of [...live.sessions.keys()]) {
    const session = readSession(repo, id)
    if (session === undefined) continue
    updateLive(live, session)
    const isSettled = !isActive(session) && session.cursor?.behind === undefined
    if (isSettled && session.lastCheckpoint === checkpoint) clearPrompts(repo, id)
  }
  live.lastLink = { commit: commit.oid, checkpoint }
  const removals = await findRemovals({ repo, objects: git.objects, live, bases, head: commit.oid })
  await keepRemovedSteps(recorder, git, removals)
  await git.commit()
  await git.moveRefs(removals)
  sayRemoved(recorder, removals)
  writeLive(repo, live)
}
