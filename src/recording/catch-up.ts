// Catches up with a transcript that is too long for one event: a process of its own reads the rest of it, piece by
// piece, while the agent and the person go on.

import { isUnfinished } from '../commits/pending.ts'
import { isActive } from '../model/session.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { openGit } from '../sessions/git-session.ts'
import { promptsSinceCheckpoint } from '../sessions/prompts.ts'
import { lockFile, retrying, save } from '../sessions/save.ts'
import { readSession } from '../sessions/store.ts'
import { digestSessionTranscript, readTurnTranscript, useTranscript } from '../sessions/transcript.ts'
import { takeLock } from '../std/lock.ts'
import { openWork } from './dead-turn.ts'
import { finalise } from './finalise.ts'
import { TurnEnd } from './turn-end.ts'

const lockWaitMs = 60_000
// Events that wait for the lock look for it more often than this.
const pauseMs = 200

// An event reads more at once, but nobody waits for the catching up: commits wait for the lock.
const pieceBytes = 8 * 1024 * 1024

export async function catchUp(recorder: Recorder, session: string): Promise<void> {
  while (await readPiece(recorder, session)) await Bun.sleep(pauseMs)
  // A commit may have given up while the last piece was read.
  if (isUnfinished(recorder.repo)) {
    using _lock = await takeLock(lockFile(recorder.repo), { waitMs: lockWaitMs })
    await completeGivenUp(recorder)
  }
}

// A commit whose hook could not have the lock has its trailer, and gets its checkpoint here.
async function completeGivenUp(recorder: Recorder): Promise<void> {
  if (isUnfinished(recorder.repo)) await (await import('../commits/complete.ts')).completeCommit(recorder)
}

/** Returns whether there is more to read. The lock is held for one piece, so that no event waits for long. */
async function readPiece(recorder: Recorder, id: string): Promise<boolean> {
  const { repo } = recorder
  using _lock = await takeLock(lockFile(repo), { waitMs: lockWaitMs })
  await completeGivenUp(recorder)
  const before = readSession(repo, id)
  if (before?.cursor?.behind === undefined || before.worktreeId !== repo.worktreeId) return false
  let isBehind = false
  await retrying(async () => {
    await using git = openGit(repo)
    const work = await openWork(recorder, git, id)
    const { session } = work
    const request = { ...work, sampleOid: session.baseCommit, pieceBytes }
    const transcript = await readTurnTranscript(request)
    if (transcript === undefined) return
    await promptsSinceCheckpoint(recorder, session, transcript, work.afterwards)
    useTranscript(work, transcript)
    // The digest that a checkpoint needs covers everything: part of it is computed with every piece.
    await digestSessionTranscript(request)
    isBehind = session.cursor?.behind !== undefined
    if (!isBehind && !isActive(session)) await finalise(work, new TurnEnd(work))
    await save(work)
  })
  return isBehind
}
