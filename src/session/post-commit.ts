// After a commit: write its checkpoint, settle the sessions, and take away the branches nobody needs any more.
import { branchOf, shadowRef } from '../checkpoints/layout.ts'
import { type CommitInfo, readCommit } from '../git/commit.ts'
import { moveRefs, openRefs, type RefMover } from '../git/refs.ts'
import { isSequence } from '../git/sequence.ts'
import { readCheckpointIds } from '../git/trailers.ts'
import { isActive } from '../model/session.ts'
import { takeLock } from '../std/lock.ts'
import type { BegunCommit } from './begin-commit.ts'
import { type Caller, findCaller } from './caller.ts'
import { findConcerned } from './concerned.ts'
import { condenseSessions } from './condense.ts'
import { type LiveIndex, readLive, updateLive, writeLive } from './live.ts'
import { readPending, removePending } from './pending-commit.ts'
import { commitWith, lockFile, retrying } from './persist.ts'
import { readSession, stageSessions, writeSession } from './store.ts'
import { type GitSide, openGit, type Recorder } from './work.ts'

const lockWaitMs = 10_000

export async function postCommit(recorder: Recorder, begun?: BegunCommit): Promise<void> {
  const { repo } = recorder
  await using first = begun?.git ?? openGit(repo)
  if (isSequence(repo) || recorder.settings.strategy !== 'manual-commit') return
  // Nothing of ours is going on in this work tree.
  if (readPending(repo) === undefined && readLive(repo).sessions.size === 0) return
  using _lock = await takeLock(lockFile(repo), { waitMs: lockWaitMs })
  const commit = await (begun?.head ?? readCommit(repo, 'HEAD'))
  recorder.trace.mark('commit')
  let isFirst = true
  await retrying(async () => {
    await using git = isFirst ? first : openGit(repo)
    isFirst = false
    if (commit !== undefined) await recordCommit(recorder, git, commit)
  })
  removePending(repo)
}

export async function recordCommit(recorder: Recorder, git: GitSide, commit: CommitInfo): Promise<void> {
  const checkpoint = readCheckpointIds(commit.message)[0]
  const live = readLive(recorder.repo)
  if (checkpoint !== undefined) {
    // A new id is noted before the commit; one that is not was in the message already.
    const amends = readPending(recorder.repo)?.checkpoint !== checkpoint
    const caller = findCaller(recorder.env, recorder.agents)
    await condenseCommit(recorder, git, live, commit, checkpoint, { caller, amends, skipsSettled: true })
  }
  noteHead(recorder, live, commit)
  writeLive(recorder.repo, live)
}

export interface CondenseOptions {
  caller: Caller
  amends?: boolean
  /** Sessions that stand on the commit have been through this before, in a process that died or came first. */
  skipsSettled?: boolean
  /** Names the checkpoint for a commit whose message does not. */
  link?(): Promise<void>
}

export async function condenseCommit(
  recorder: Recorder,
  git: GitSide,
  live: LiveIndex,
  commit: CommitInfo,
  checkpoint: string,
  { caller, amends = false, skipsSettled = false, link }: CondenseOptions,
): Promise<void> {
  const files = new Map(commit.files.map((file) => [file.path, file]))
  const candidates = await findConcerned({ recorder, git, live, change: { files, like: commit.oid }, caller })
  recorder.trace.mark('sessions')
  const concerned = candidates.filter(({ session }) => !skipsSettled || session.baseCommit !== commit.oid)
  if (concerned.length === 0) return
  const bases = new Map(concerned.map(({ session }) => [session.id, session.baseCommit]))
  const afterwards: (() => void)[] = []
  await condenseSessions({ recorder, git, commit, checkpoint, caller, amends, afterwards }, concerned)
  await link?.()
  recorder.trace.mark('condense')
  const sessions = concerned.map(({ session }) => session)
  // Its process starts while git writes; most commits leave a branch behind that nobody needs.
  using refs = openRefs(recorder.repo)
  for (const file of await commitWith(git, () => stageSessions(recorder.repo, sessions))) file.place()
  recorder.trace.mark('write')
  for (const session of sessions) updateLive(live, session)
  live.lastLink = { commit: commit.oid, checkpoint }
  await removeBranches(recorder, git, live, new Set(bases.values()), commit.oid, refs)
  for (const act of afterwards) act()
}

/** A branch goes when no session has steps on it any more. */
export async function removeBranches(
  recorder: Recorder,
  git: Pick<GitSide, 'objects'>,
  live: LiveIndex,
  bases: Set<string>,
  head: string,
  refs?: RefMover,
): Promise<void> {
  // A session without files has no steps: it may run on this base, but nothing of it is on the branch.
  const used = new Set([...live.sessions.values()].filter((entry) => entry.files.length > 0).map((entry) => entry.base))
  const names = [...bases].filter((base) => base !== head && !used.has(base)).map((base) => shadowRef(base, recorder.repo.worktreeId))
  const tips = await Promise.all(names.map((ref) => git.objects.info(ref)))
  const moves = names.flatMap((ref, index) => {
    const oid = tips[index]?.oid
    return oid === undefined ? [] : [{ ref, to: undefined, from: oid }]
  })
  await moveRefs(recorder.repo, moves, refs)
  for (const { ref } of moves) recorder.say(`[entire] Cleaned up shadow branch: ${branchOf(ref)}`)
}

// Our hook saw this commit: at the end of the turn it is not taken for one made without hooks.
function noteHead({ repo }: Recorder, live: LiveIndex, commit: CommitInfo): void {
  for (const [id, entry] of live.sessions) {
    const session = entry.active ? readSession(repo, id) : undefined
    if (session === undefined || !isActive(session) || session.turnHead === commit.oid) continue
    session.turnHead = commit.oid
    writeSession(repo, session)
  }
}
