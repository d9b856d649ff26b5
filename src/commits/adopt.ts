// Adopts commits that were made without hooks: each gets a checkpoint, linked by a note, because the user's
// commits are never rewritten.

import { notesRef } from '../checkpoints/layout.ts'
import { type CommitInfo, isReplayingCommits, readCommit, readCommits } from '../git/commit.ts'
import { headLogSize } from '../git/head-log.ts'
import { isEmptyTree, type Oid } from '../git/oid.ts'
import { checkpointTrailer, readCheckpointIds } from '../git/trailers.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { openGit } from '../sessions/git-session.ts'
import { readLive, writeLive } from '../sessions/live-index.ts'
import { lockFile, retrying } from '../sessions/save.ts'
import { readTurnStart } from '../sessions/turn-start-state.ts'
import { takeLock } from '../std/lock.ts'
import { unknownCommitter } from './find-sessions.ts'
import { findMissedCommits, isUnlinked, newCheckpointId, readNotes } from './pending.ts'
import { condenseCommit, noteHead } from './record.ts'

const lockWaitMs = 10_000

/** Adopts a commit that the agent itself reports. */
export async function adoptCommit(recorder: Recorder, oid: string): Promise<void> {
  using _lock = await takeLock(lockFile(recorder.repo), { waitMs: lockWaitMs })
  const commit = await readCommit(recorder.repo, oid)
  if (commit === undefined || readCheckpointIds(commit.message).length > 0) return
  await retrying(() => adopt(recorder, commit))
}

/** Adopts a commit whose hook was killed before it could decide about a link. The caller holds the lock. */
export async function adoptUnlinked(recorder: Recorder, commit: CommitInfo): Promise<void> {
  await retrying(() => adopt(recorder, commit))
}

const maxCommits = 50

/** Adopts the commits made since the turn began. The caller holds the lock. */
export async function adoptCommitsOfTurn(
  recorder: Recorder,
  session: string,
  range: { from: Oid; to: Oid },
): Promise<void> {
  const since = Math.floor((readTurnStart(recorder.repo, session)?.at ?? 0) / 1000)
  const commits = await readCommits(recorder.repo, [
    '--first-parent',
    '--reverse',
    `--max-count=${maxCommits}`,
    isEmptyTree(range.from) ? range.to : `${range.from}..${range.to}`,
  ])
  for (const commit of commits)
    if (commit.committedAt >= since && readCheckpointIds(commit.message).length === 0)
      await adopt(recorder, commit)
}

/**
 * Adopts commits between turns that lost both their hooks, or were made by a program that runs none. Those of a running
 * turn are left to its end. The caller holds the lock.
 */
export async function adoptMissedCommits(recorder: Recorder): Promise<void> {
  const { repo, settings } = recorder
  if (isReplayingCommits(repo)) return
  let seen = headLogSize(repo)
  const live = readLive(repo)
  const isRunning = [...live.sessions.values()].some(({ active }) => active)
  const notes = readNotes(repo)
  const isShown = notes.pending.some((pending) => pending.isShown)
  // With `prompt`, a person who was not asked has not agreed.
  const mayLink = settings.strategy === 'manual-commit' && settings.commitLinking === 'always'
  for (const move of findMissedCommits(repo, live)) {
    const commit = await readCommit(repo, move.after)
    if (commit === undefined || readCheckpointIds(commit.message).length > 0) continue
    if (isShown || isUnlinked(notes, move)) noteHead(recorder, live, commit)
    else if (isRunning) {
      seen = move.start
      break
    } else if (mayLink) await retrying(() => adopt(recorder, commit))
  }
  writeLive(repo, { ...readLive(repo), headLog: seen })
}

async function adopt(recorder: Recorder, commit: CommitInfo): Promise<void> {
  await using git = openGit(recorder.repo)
  const notes = (await git.objects.info(notesRef))?.oid
  if (notes !== undefined && (await git.objects.info(`${notesRef}:${commit.oid}`)) !== undefined) return
  const live = readLive(recorder.repo)
  const checkpoint = newCheckpointId(recorder)
  await condenseCommit({
    recorder,
    git,
    live,
    commit,
    checkpoint,
    // Commits pulled from others come without hooks too: only the session's files make a commit its own.
    committer: unknownCommitter,
    isEarlier: true,
    link: async () => {
      git.writes().commit({
        ref: notesRef,
        parent: notes,
        message: `Link ${commit.oid.slice(0, 12)} to checkpoint ${checkpoint}\n`,
        author: (await git.config()).author,
        seconds: Math.floor(recorder.clock().getTime() / 1000),
        changes: [
          { path: commit.oid, mode: '100644', content: Buffer.from(`${checkpointTrailer}: ${checkpoint}\n`) },
        ],
      })
    },
  })
}
