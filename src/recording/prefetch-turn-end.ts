// The end of a turn needs three processes of git and the transcript: everything is begun as early as it can be, and nothing waits for
// what it does not need.

import type { FreshBlob } from '../checkpoints/chunk-store.ts'
import type { Snapshot } from '../checkpoints/snapshot.ts'
import { findTasks } from '../checkpoints/step.ts'
import { readCommits } from '../git/commit.ts'
import type { TreeChange } from '../git/fast-import.ts'
import type { Status } from '../git/status.ts'
import { readCheckpointIds } from '../git/trailers.ts'
import type { AgentEvent } from '../model/event.ts'
import { isActive, type Session } from '../model/session.ts'
import { readLive } from '../sessions/live-index.ts'
import { machine } from '../sessions/machine.ts'
import { readSession } from '../sessions/store.ts'
import { readTurnTranscript } from '../sessions/transcript.ts'
import { hasChanged } from '../sessions/turn-changes.ts'
import { readTurnStart } from '../sessions/turn-start-state.ts'
import type { EventWork, GitSession, Recorder } from '../sessions/work.ts'
import { prefetch } from '../std/prefetch.ts'
import { snapshotWorkTree, stepSiteFor } from './turn-end.ts'

export function savesStep(session: Session, event: AgentEvent): boolean {
  const transition = Object.entries(machine[session.phase]).find(([trigger]) => trigger === event.type)?.[1]
  return transition?.actions.some((action) => action === 'save-step') ?? false
}

/** True when commits that nobody told us about have changed the session and what there is to save. */
export async function prepareSave(work: EventWork): Promise<boolean> {
  const { recorder, session } = work
  work.prefetch('status', 'objects', 'writes')
  work.storeEarly = (blobs) => storeIfChanged(work, blobs)
  if (session.baseCommit !== '') work.transcript = readTurnTranscript(work, session.baseCommit)
  prefetch(askAhead(work))
  const current = await adoptCommits(recorder, work, session)
  if (current === session) return false
  delete work.transcript
  delete work.snapshot
  work.session = current
  work.live = readLive(recorder.repo)
  return true
}

// HEAD is most likely where it was. The answers are remembered, and whoever needs them hears of failures.
async function askAhead(work: EventWork): Promise<void> {
  const { objects, session } = work
  const head = session.turnHead ?? session.baseCommit
  if (head === '') return
  const { parent } = await stepSiteFor(work, head)
  if (parent !== undefined) work.writes().prefetchCommit(parent.commit)
  await findTasks(objects, session.id, parent?.commit)
}

// When files have changed there will be a step, whatever the transcript says.
async function storeIfChanged(work: EventWork, blobs: FreshBlob[]): Promise<void> {
  const { repo, settings } = work.recorder
  const status = await work.status()
  const before = readTurnStart(repo, work.session.id)
  if (before === undefined || !hasChanged(repo, status, before)) return
  for (const blob of blobs.splice(0)) work.storeBlob(blob)
  if (settings.strategy !== 'manual-commit' || status.head === undefined) return
  work.snapshot = storeSnapshot(work, status, status.head)
  // Whoever needs it hears of its failure.
  await work.snapshot.catch(() => {})
}

async function storeSnapshot(work: EventWork, status: Status, head: string): Promise<Snapshot> {
  const snapshot = await snapshotWorkTree(work, await stepSiteFor(work, head), status)
  const stored = snapshot.changes.map((change): TreeChange => {
    if (!('content' in change)) return change
    return { path: change.path, mode: change.mode, mark: work.writes().blob(change.content) }
  })
  work.writes().flush()
  return { ...snapshot, changes: stored }
}

// Commits made during a turn in a shell that switches git hooks off: found at the end of the turn, and linked by a note, because
// the user's commits are never rewritten.

const maxCommits = 50

/** The session as it is after its unnoticed commits got their checkpoints. */
export async function adoptCommits(recorder: Recorder, git: GitSession, session: Session): Promise<Session> {
  const { head } = await git.status()
  if (!isActive(session) || session.turnHead === undefined || head === undefined || head === session.turnHead)
    return session
  const since = Math.floor((readTurnStart(recorder.repo, session.id)?.at ?? 0) / 1000)
  const range = ['--first-parent', '--reverse', `--max-count=${maxCommits}`, `${session.turnHead}..${head}`]
  const commits = (await readCommits(recorder.repo, range)).filter(
    (commit) => commit.committedAt >= since && readCheckpointIds(commit.message).length === 0,
  )
  for (const commit of commits) await (await import('../commits/adopt.ts')).adopt(recorder, commit)
  return readSession(recorder.repo, session.id) ?? session
}
