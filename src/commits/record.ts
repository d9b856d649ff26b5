// Records a commit: writes its checkpoint, settles its sessions, and removes branches of steps that are no
// longer needed.

import { branchName, shadowRef } from '../checkpoints/layout.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { CommitInfo } from '../git/commit.ts'
import { readHeadMoves } from '../git/head-log.ts'
import { isEmptyTree, type Oid } from '../git/oid.ts'
import { openRefTransaction, type RefMove } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { readCheckpointIds } from '../git/trailers.ts'
import { readTreeEntries } from '../git/tree.ts'
import { isActive } from '../model/session.ts'
import type { Recorder } from '../sessions/event-work.ts'
import type { GitSession } from '../sessions/git-session.ts'
import { keepRemoved } from '../sessions/kept-refs.ts'
import { type LiveIndex, readLive, stageLive, updateLive, writeLive } from '../sessions/live-index.ts'
import { commitWith } from '../sessions/save.ts'
import { readSession, stageSessions, writeSession } from '../sessions/store.ts'
import type { StagedFile } from '../std/file.ts'
import { type CommitUnderway, condenseSessions } from './condense.ts'
import { findCommitter, findCommittingSessions } from './find-sessions.ts'
import { readPending } from './pending.ts'

export async function recordCommit(recorder: Recorder, git: GitSession, commit: CommitInfo): Promise<void> {
  const checkpoint = readCheckpointIds(commit.message)[0]
  const live = readLive(recorder.repo)
  const isNews = noteSeen(recorder.repo, live, commit)
  if (checkpoint !== undefined) {
    // A new id is noted before the commit: any other was in the message already.
    const amends = !readPending(recorder.repo).some((pending) => pending.checkpoint === checkpoint)
    const committer = findCommitter(recorder.env, recorder.agentCards())
    await condenseCommit({ recorder, git, live, commit, checkpoint, committer, amends, skipsSettled: true })
  }
  noteHead(recorder, live, commit)
  const base = lastBaseBelow(live, commit)
  if (recorder.settings.strategy === 'manual-commit')
    await clearStateBefore(recorder, git, live, { base, head: commit.oid })
  else await moveStateBefore(recorder, git, live, { base, commit })
  await git.commit()
  if (isNews && live.sessions.size > 0) writeLive(recorder.repo, live)
}

/** Notes that a hook has seen the commit. False when that is known. */
function noteSeen(repo: Repo, live: LiveIndex, { oid }: CommitInfo): boolean {
  const seen = readHeadMoves(repo, live.headLog ?? 0).findLast(({ after }) => after === oid)?.end
  if (seen === undefined || seen <= (live.headLog ?? 0)) return false
  live.headLog = seen
  return true
}

/**
 * The state before a turn is no session's work: a commit on its base, or one that replaces it, clears its branch
 * when no steps are on it, and no turn runs that it may be the beginning of.
 */
export async function clearStateBefore(
  recorder: Recorder,
  git: GitSession,
  live: LiveIndex,
  { base, head }: { base: Oid | undefined; head: Oid },
): Promise<void> {
  const { repo } = recorder
  const isRunning = [...live.sessions.values()].some((entry) => entry.active && entry.base === base)
  if (base === undefined || isRunning) return
  const removals = await findRemovals({ repo, objects: git.objects, live, bases: new Set([base]), head })
  await keepRemovedSteps(recorder, git, removals)
  await git.commit()
  await git.moveRefs(removals)
  delete live.lastStep
  writeLive(repo, live)
  sayRemoved(recorder, removals)
}

/**
 * After a turn that is a commit by itself: what the person had not committed and the turn replaced is only in the
 * state before it, which moves along with HEAD. One that holds nothing else than git or the work tree goes.
 */
export async function moveStateBefore(
  recorder: Recorder,
  git: GitSession,
  live: LiveIndex,
  { base, commit }: { base: Oid | undefined; commit: CommitInfo },
): Promise<void> {
  const { objects } = git
  const ref = shadowRef(base ?? '', recorder.repo.worktreeId)
  const tip = base === undefined || base === commit.oid ? undefined : await objects.contents(ref)
  if (tip === undefined) return
  const hasEarlier = /^parent /m.test(tip.content.toString('utf8'))
  const paths = commit.files.map(({ path }) => path)
  const entries = hasEarlier ? new Map() : await readTreeEntries(objects, tip.oid, paths)
  if (hasEarlier || commit.files.some(({ path, before }) => entries.get(path)?.oid !== before))
    git.writes().resetRef(shadowRef(commit.oid, recorder.repo.worktreeId), tip.oid)
  else {
    await keepRemovedSteps(recorder, git, [{ ref, to: undefined, from: tip.oid }])
    delete live.lastStep
  }
  git.writes().deleteRef(ref, tip.oid)
}

/** The HEAD of the last step, if this commit has taken its place. */
function lastBaseBelow({ lastStep }: LiveIndex, { parents }: CommitInfo): Oid | undefined {
  if (lastStep === undefined) return undefined
  const isBelow = parents.length === 0 ? isEmptyTree(lastStep.head) : parents.includes(lastStep.head)
  return isBelow ? lastStep.head : undefined
}

/** A commit, and how its sessions are to be condensed. */
interface CommitToCondense extends Omit<CommitUnderway, 'afterwards' | 'task'> {
  live: LiveIndex
  /** Sessions based on the commit were settled before, by a process that died or came first. */
  skipsSettled?: boolean
  /** It was made earlier in the turn, without hooks. */
  isEarlier?: boolean
  /** Links a commit whose message does not name the checkpoint. */
  link?(): Promise<void>
}

export async function condenseCommit({
  live,
  skipsSettled = false,
  isEarlier = false,
  link,
  ...underway
}: CommitToCondense): Promise<void> {
  const { recorder, git, commit, checkpoint, committer } = underway
  const files = new Map(commit.files.map((file) => [file.path, file]))
  const candidates = await findCommittingSessions({
    recorder,
    git,
    live,
    change: { files, sampleOid: commit.oid },
    committer,
    earlier: isEarlier ? commit : undefined,
  })
  recorder.trace.mark('sessions')
  const committing = candidates.filter(({ session }) => !skipsSettled || session.baseCommit !== commit.oid)
  if (committing.length === 0) return writeLive(recorder.repo, live)
  const lastBase = lastBaseBelow(live, commit)
  const bases = new Set([
    ...committing.map(({ session }) => session.baseCommit),
    ...(lastBase === undefined ? [] : [lastBase]),
  ])
  const afterwards: (() => void)[] = []
  await condenseSessions({ ...underway, afterwards }, committing)
  await link?.()
  recorder.trace.mark('condense')
  const sessions = committing.map(({ session }) => session)
  for (const session of sessions) updateLive(live, session)
  live.lastLink = { commit: commit.oid, checkpoint }
  // It says nothing about steps on the new HEAD.
  if (lastBase !== undefined && recorder.settings.strategy === 'manual-commit') delete live.lastStep
  const removals =
    recorder.settings.strategy === 'manual-commit'
      ? await findRemovals({ repo: recorder.repo, objects: git.objects, live, bases, head: commit.oid })
      : []
  await keepRemovedSteps(recorder, git, removals)
  using refs = openRefTransaction(recorder.repo)
  using unplaced = new DisposableStack()
  let index: StagedFile | undefined
  const staged = await commitWith(git, () => {
    // Locks the branches while git writes; they are removed when it has succeeded.
    refs.prepare(removals)
    index = unplaced.use(stageLive(recorder.repo, live))
    return stageSessions(recorder.repo, sessions)
  })
  for (const file of staged) file.place()
  recorder.trace.mark('write')
  await Promise.all([refs.commit(), ...afterwards.map((act) => Promise.try(act))])
  // The index names the branches until they are gone.
  index?.place()
  sayRemoved(recorder, removals)
}

// Marks the commit as seen: the end of the turn does not take it for one made without hooks.
export function noteHead({ repo }: Recorder, live: LiveIndex, commit: CommitInfo): void {
  for (const [id, entry] of live.sessions) {
    const session = entry.active ? readSession(repo, id) : undefined
    if (session === undefined || !isActive(session) || session.turnHead === commit.oid) continue
    session.turnHead = commit.oid
    writeSession(repo, session)
  }
}

interface RemovalQuery {
  repo: Repo
  objects: ObjectReader
  live: LiveIndex
  bases: Set<Oid>
  head: Oid
}

/**
 * Finds shadow branches of these bases on which no session has steps. A branch that gets a step meanwhile
 * stays.
 */
export async function findRemovals({ repo, objects, live, bases, head }: RemovalQuery): Promise<RefMove[]> {
  // A session without files has no steps: it may run on this base, but it has nothing on the branch.
  const inUse = [...live.sessions.values()]
    .filter((entry) => entry.files.length > 0)
    .map((entry) => entry.base)
  const used = new Set([head, ...inUse].map((base) => shadowRef(base, repo.worktreeId)))
  const names = [...bases].map((base) => shadowRef(base, repo.worktreeId)).filter((ref) => !used.has(ref))
  const tips = await Promise.all(names.map((ref) => objects.info(ref)))
  return names.flatMap((ref, index) =>
    tips[index] === undefined ? [] : { ref, to: undefined, from: tips[index].oid },
  )
}

/** To be called before the import that comes before the removal. */
export function keepRemovedSteps(recorder: Recorder, git: GitSession, removals: RefMove[]): Promise<void> {
  return keepRemoved(
    recorder,
    git,
    removals.flatMap(({ from }) => from ?? []),
  )
}

export function sayRemoved(recorder: Recorder, removals: RefMove[]): void {
  for (const { ref } of removals) recorder.say(`[entire] Cleaned up shadow branch: ${branchName(ref)}`)
}
