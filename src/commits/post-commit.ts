// Handles the hook after a commit: the commit gets its checkpoint, and so does every other one that was
// promised a checkpoint meanwhile.

import { join } from 'node:path'
import { type CommitInfo, isReplayingCommits } from '../git/commit.ts'
import { readHeadMoves } from '../git/head-log.ts'
import type { Repo } from '../git/repo.ts'
import { readCheckpointIds } from '../git/trailers.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { type GitSession, openGit } from '../sessions/git-session.ts'
import { readLive } from '../sessions/live-index.ts'
import { recordingStamp } from '../sessions/prefetch-status.ts'
import { lockFile, retrying } from '../sessions/save.ts'
import { EntireError } from '../std/errors.ts'
import { findStat, readText } from '../std/file.ts'
import { type Lock, takeLock } from '../std/lock.ts'
import { prefetch } from '../std/prefetch.ts'
import { isUnlinked, keepPending, readNotes, readPending, removePending } from './pending.ts'
import type { MadeCommit } from './prefetch.ts'
import { clearStateBefore, recordCommit } from './record.ts'

const lockWaitMs = 10_000

export async function postCommit(recorder: Recorder, made: MadeCommit): Promise<void> {
  const { repo } = recorder
  await using asked = made.git
  if (isReplayingCommits(repo)) return
  const { sessions, lastStep } = readLive(repo)
  if (recorder.settings.strategy !== 'manual-commit')
    return lastStep && (await clearAfterCommit(recorder, await made.head()))
  const isPromised = readPending(repo).length > 0
  if (!isPromised && sessions.size === 0 && lastStep === undefined) return
  // Asked before the lock is awaited: by then HEAD may be the commit of another hook.
  const reading = prefetch(made.head())
  using _lock = await takeLockOrTell(repo, isPromised)
  // What was asked ahead about refs holds when nothing has been recorded since.
  const answered = made.stamp === recordingStamp(repo) ? asked : undefined
  if (isPromised) answered?.prefetch('writes', 'config')
  const commit = await reading
  recorder.trace.mark('commit')
  if (commit === undefined) return
  const checkpoint = readCheckpointIds(commit.message)[0]
  // Awaited here: the lock and the object reader are closed when this function returns.
  if (checkpoint === undefined) return await recordUnlinked(recorder, answered, commit)
  // Rarely needed: another commit was made at the same moment, or given up.
  const others = readPending(repo).filter((pending) => pending.checkpoint !== checkpoint)
  if (others.length > 0) return await (await import('./complete.ts')).completeCommit(recorder, commit)
  try {
    await using git = answered ?? openGit(repo)
    await recordCommit(recorder, git, commit)
  } catch (error) {
    if (!(error instanceof EntireError && error.code === 'ref-moved')) throw error
    // Another git held a ref, perhaps when the sessions were settled already: as after a crash.
    return await (await import('./complete.ts')).completeCommit(recorder, commit)
  }
  removePending(repo, checkpoint, recorder.clock().getTime())
}

// The trailer is written already, so the person has to know that the checkpoint comes later.
async function takeLockOrTell(repo: Repo, isPromised: boolean): Promise<Lock> {
  try {
    return await takeLock(lockFile(repo), { waitMs: lockWaitMs })
  } catch (error) {
    if (!isPromised || !(error instanceof EntireError && error.code === 'busy')) throw error
    throw new EntireError(
      'busy',
      'Another process is recording: the checkpoint of this commit is written later.',
      {
        hint: 'The next turn does it, or `entire doctor --force`.',
      },
    )
  }
}

// With the auto-commit strategy, turns are commits already, and take the state before them along to the new HEAD.
// This one is the user's own.
async function clearAfterCommit(recorder: Recorder, commit: CommitInfo | undefined): Promise<void> {
  if (commit === undefined) return
  using _lock = await takeLock(lockFile(recorder.repo), { waitMs: lockWaitMs })
  await using git = openGit(recorder.repo)
  const { oid: head, parents } = commit
  await clearStateBefore(recorder, git, readLive(recorder.repo), { base: parents[0], head })
}

async function record(recorder: Recorder, asked: GitSession | undefined, commit: CommitInfo): Promise<void> {
  let answered = asked
  await retrying(async () => {
    await using git = answered ?? openGit(recorder.repo)
    answered = undefined
    await recordCommit(recorder, git, commit)
  })
}

/**
 * A commit without a trailer: the person did not want one, or no session has a part in it. If neither was
 * noted, the hook that decides this was killed, and the commit is linked by a note.
 */
async function recordUnlinked(
  recorder: Recorder,
  answered: GitSession | undefined,
  commit: CommitInfo,
): Promise<void> {
  const { repo } = recorder
  const notes = readNotes(repo)
  const { pending } = notes
  const [last] = pending
  const { sessions, headLog = 0 } = readLive(repo)
  const move = readHeadMoves(repo, 0).findLast(({ after }) => after === commit.oid)
  // An event that came before this hook has decided already.
  const isDecided = isUnlinked(notes, move) || (move !== undefined && move.end <= headLog)
  if (sessions.size > 0 && !isDecided && (last === undefined || !last.isShown))
    await (await import('./adopt.ts')).adoptUnlinked(recorder, commit)
  await record(recorder, answered, commit)
  // More than one: the others belong to commits that are still being made.
  const isOwn = pending.length === 1 && (last?.at ?? 0) <= madeAt(repo, commit)
  keepPending(repo, isOwn ? [] : pending, recorder.clock().getTime())
}

// Git decides on the date of a commit before it runs the first hook, and writes the reflog when the commit is there.
function madeAt(repo: Repo, commit: CommitInfo): number {
  const log = join(repo.gitDir, 'logs', 'HEAD')
  const isLast = readText(log)?.trimEnd().split('\n').at(-1)?.split(' ')[1] === commit.oid
  return Math.max((commit.committedAt + 1) * 1000, isLast ? (findStat(log)?.mtimeMs ?? 0) : 0)
}
