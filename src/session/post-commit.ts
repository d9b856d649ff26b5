// After a commit: write its checkpoint, settle the sessions, and take away the branches nobody needs any more.
import { type CommitInfo, readCommit } from '../git/commit.ts'
import { openRefs } from '../git/refs.ts'
import { isSequence } from '../git/sequence.ts'
import { readCheckpointIds } from '../git/trailers.ts'
import { isActive } from '../model/session.ts'
import type { StagedFile } from '../std/file.ts'
import { takeLock } from '../std/lock.ts'
import type { BegunCommit } from './begin-commit.ts'
import { type Caller, findCaller } from './caller.ts'
import { findConcerned } from './concerned.ts'
import { condenseSessions } from './condense.ts'
import { recordedAt } from './early-status.ts'
import { type LiveIndex, readLive, stageLive, updateLive, writeLive } from './live.ts'
import { readPending, removePending } from './pending-commit.ts'
import { commitWith, lockFile, retrying } from './persist.ts'
import { findRemovals, sayRemoved } from './remove-branches.ts'
import { readSession, stageSessions, writeSession } from './store.ts'
import { type GitSide, openGit, type Recorder } from './work.ts'

const lockWaitMs = 10_000

export async function postCommit(recorder: Recorder, begun?: BegunCommit): Promise<void> {
  const { repo } = recorder
  await using early = begun?.git
  if (isSequence(repo) || recorder.settings.strategy !== 'manual-commit') return
  // Nothing of ours is going on in this work tree.
  if (readPending(repo) === undefined && readLive(repo).sessions.size === 0) return
  using _lock = await takeLock(lockFile(repo), { waitMs: lockWaitMs })
  // What was asked early about refs counts when nobody recorded anything before our turn came.
  let known = begun?.recorded === recordedAt(repo) ? early : undefined
  known?.warm('writes', 'config')
  const commit = await (begun?.head ?? readCommit(repo, 'HEAD'))
  recorder.trace.mark('commit')
  await retrying(async () => {
    await using git = known ?? openGit(repo)
    known = undefined
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
    const caller = findCaller(recorder.env, recorder.agentCards())
    await condenseCommit(recorder, git, live, commit, checkpoint, { caller, amends, skipsSettled: true })
  }
  noteHead(recorder, live, commit)
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
  if (concerned.length === 0) return writeLive(recorder.repo, live)
  const bases = new Set(concerned.map(({ session }) => session.baseCommit))
  const afterwards: (() => void)[] = []
  await condenseSessions({ recorder, git, commit, checkpoint, caller, amends, afterwards }, concerned)
  await link?.()
  recorder.trace.mark('condense')
  const sessions = concerned.map(({ session }) => session)
  for (const session of sessions) updateLive(live, session)
  live.lastLink = { commit: commit.oid, checkpoint }
  const removals = await findRemovals(recorder, git, live, bases, commit.oid)
  using refs = openRefs(recorder.repo)
  using givenUp = new DisposableStack()
  let index: StagedFile | undefined
  const staged = await commitWith(git, () => {
    // Locked while git writes; they go when it is done.
    refs.prepare(removals)
    index = givenUp.use(stageLive(recorder.repo, live))
    return stageSessions(recorder.repo, sessions)
  })
  for (const file of staged) file.place()
  recorder.trace.mark('write')
  await Promise.all([refs.commit(), ...afterwards.map((act) => Promise.try(act))])
  // Last: until the branches are gone, it speaks of them.
  index?.place()
  sayRemoved(recorder, removals)
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
