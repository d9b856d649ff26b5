// Completes a commit whose hook died after the trailer was written: its checkpoint, its sessions, their
// branches.

import { type CommitInfo, readCommit, readCommits } from '../git/commit.ts'
import { moveRefs } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { checkpointTrailer, readCheckpointIds } from '../git/trailers.ts'
import { isActive } from '../model/session.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { openGit } from '../sessions/git-session.ts'
import { readLive, updateLive, writeLive } from '../sessions/live-index.ts'
import { clearPrompts } from '../sessions/prompts.ts'
import { retrying } from '../sessions/save.ts'
import { readSession } from '../sessions/store.ts'
import { type PendingCommit, readPending, removePending } from './pending.ts'
import { findRemovals, keepRemovedSteps, recordCommit, sayRemoved } from './post-commit.ts'
import { completeRewrite } from './rewrite.ts'

const pendingMs = 10 * 60 * 1000

export async function completeCommit(recorder: Recorder): Promise<void> {
  await completeRewrite(recorder)
  const pending = readPending(recorder.repo)
  if (pending === undefined) return
  const commit = await findPromised(recorder.repo, pending)
  if (commit !== undefined) {
    await retrying(async () => {
      await using git = openGit(recorder.repo)
      await recordCommit(recorder, git, commit)
    })
    await retrying(() => settleAll(recorder, commit, pending))
  }
  // Without a commit, it was given up, or its message is still being written.
  if (commit !== undefined || recorder.clock().getTime() - pending.at > pendingMs)
    removePending(recorder.repo)
}

// The user may have switched branches since; the reflog knows where HEAD has been.
async function findPromised(repo: Repo, { checkpoint }: PendingCommit): Promise<CommitInfo | undefined> {
  const keeps = (commit: CommitInfo | undefined) =>
    commit !== undefined && readCheckpointIds(commit.message).includes(checkpoint)
  const head = await readCommit(repo, 'HEAD')
  if (keeps(head)) return head
  return (
    await readCommits(repo, [
      '--walk-reflogs',
      '--max-count=1',
      '--fixed-strings',
      `--grep=${checkpointTrailer}: ${checkpoint}`,
      'HEAD',
    ])
  ).find(keeps)
}

// Settles sessions whose states were written just before the crash: nothing is left to condense, but the
// index and the branches still name them.
async function settleAll(
  recorder: Recorder,
  commit: CommitInfo,
  { checkpoint }: PendingCommit,
): Promise<void> {
  const { repo } = recorder
  await using git = openGit(repo)
  const live = readLive(repo)
  const bases = new Set([...live.sessions.values()].map((entry) => entry.base))
  for (const id of [...live.sessions.keys()]) {
    const session = readSession(repo, id)
    if (session === undefined) continue
    updateLive(live, session)
    if (!isActive(session) && session.lastCheckpoint === checkpoint) clearPrompts(repo, id)
  }
  live.lastLink = { commit: commit.oid, checkpoint }
  const removals = await findRemovals({ repo, objects: git.objects, live, bases, head: commit.oid })
  await keepRemovedSteps(recorder, git, removals)
  await git.commit()
  await moveRefs(repo, removals)
  sayRemoved(recorder, removals)
  writeLive(repo, live)
}
