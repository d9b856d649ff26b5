// Takes inventory of sessions and shadow branches, and says which must not be removed: running, or with
// uncommitted work.

import { isShadowRef, oldShadowRef, shadowRef } from '../checkpoints/layout.ts'
import { openObjectReader } from '../git/cat-file.ts'
import { git } from '../git/exec.ts'
import { listRefs, type RefTip } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { readStatus } from '../git/status.ts'
import { isActive, type Session } from '../model/session.ts'
import { readLive } from '../sessions/live-index.ts'
import { findStashed } from '../sessions/stash.ts'
import { listSessions } from '../sessions/store.ts'
import { listWorktrees } from '../sessions/worktrees.ts'
import { exists } from '../std/file.ts'
import { isAlive } from '../std/lock.ts'
import { parseTime } from '../std/time.ts'

export interface Inventory {
  repo: Repo
  /** Undefined before the first commit. */
  head: string | undefined
  /** Of all work trees. */
  sessions: Session[]
  shadows: RefTip[]
  /** Refs into which a process that is gone has fetched. */
  leftovers: RefTip[]
  /** Ids of the sessions whose steps are on each branch. */
  owners: Map<string, string[]>
}

/** Where earlier versions and the reference program put what they fetch, each process below its own number. */
export const fetchedRefs = 'refs/entire-fetch-tmp/'

/** True when the process that fetched is gone. */
export function isLeftover({ ref }: RefTip): boolean {
  const pid = Number(ref.slice(fetchedRefs.length).split('/')[0])
  return !(Number.isSafeInteger(pid) && pid > 0 && isAlive(pid))
}

export async function readInventory(repo: Repo): Promise<Inventory> {
  const [head, refs] = await Promise.all([
    git(repo, ['rev-parse', '--verify', '--quiet', 'HEAD'], { accept: [1, 128] }),
    listRefs(repo, 'refs/heads/entire/', fetchedRefs),
  ])
  const sessions = listSessions(repo).sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    repo,
    head: head.stdout.toString('latin1').trim() || undefined,
    sessions,
    shadows: refs.filter(({ ref }) => isShadowRef(ref)),
    leftovers: refs.filter((tip) => tip.ref.startsWith(fetchedRefs) && isLeftover(tip)),
    owners: findOwners(repo, sessions),
  }
}

// A session whose state cannot be read may still be in the live index, and its next event will need its
// steps.
function findOwners(repo: Repo, sessions: Session[]): Map<string, string[]> {
  const known = new Set(sessions.map(({ id }) => id))
  const unreadable = listWorktrees(repo).flatMap((worktree) =>
    [...readLive(worktree).sessions]
      .filter(([id]) => !known.has(id))
      .map(([id, { base }]) => ({ id, ref: shadowRef(base, worktree.worktreeId) })),
  )
  const needed = sessions
    .filter(needsBranch)
    .flatMap((session) => shadowsOf(session).map((ref) => ({ id: session.id, ref })))
  const owners = new Map<string, string[]>()
  for (const { id, ref } of [...needed, ...unreadable]) owners.set(ref, [...(owners.get(ref) ?? []), id])
  return owners
}

/** True when steps of the session are on a branch, or are about to be. */
function needsBranch(session: Session): boolean {
  return isActive(session) || hasUncommittedSteps(session)
}

/** The shadow branches that may hold a session's steps. The name of the older one has no work tree in it. */
export function shadowsOf(session: Pick<Session, 'baseCommit' | 'worktreeId'>): string[] {
  if (session.baseCommit === '') return []
  return [shadowRef(session.baseCommit, session.worktreeId), oldShadowRef(session.baseCommit)]
}

/** The sessions of this work tree whose base commit is HEAD. */
export function sessionsAtHead({ repo, head, sessions }: Inventory): Session[] {
  return head === undefined
    ? []
    : sessions.filter((session) => session.baseCommit === head && session.worktreeId === repo.worktreeId)
}

// A session that is silent for longer counts as over. If it continues after all, it loses nothing.
const silentMs = 7 * 24 * 60 * 60 * 1000

/** Why a session must not be removed; undefined when it can be. */
export function whyInUse(session: Session, now: Date): string | undefined {
  if (isActive(session)) return 'a turn is running'
  if (hasUncommittedSteps(session)) return 'holds work that is not committed yet'
  if (session.turnCheckpoints.length > 0) return 'has a checkpoint to complete (run `entire doctor`)'
  if (session.phase === 'ended' || session.endedAt !== undefined) return undefined
  const lastActive = parseTime(session.lastInteraction ?? session.startedAt)?.getTime() ?? 0
  return now.getTime() - lastActive < silentMs ? 'has not ended' : undefined
}

/** True when the session has steps that no commit has taken yet. */
export function hasUncommittedSteps(session: Pick<Session, 'stepCount' | 'filesTouched'>): boolean {
  return session.stepCount > 0 || session.filesTouched.length > 0
}

/** Those of the files that wait for a commit: they differ from HEAD, or are in a stash. */
export async function findUncommitted(repo: Repo, files: string[]): Promise<string[]> {
  if (files.length === 0 || !exists(repo.root)) return []
  await using objects = openObjectReader(repo)
  const [status, stashed] = await Promise.all([readStatus(repo, files), findStashed(repo, objects, files)])
  const differing = new Set([...status.modified, ...status.deleted, ...status.untracked, ...stashed.keys()])
  return files.filter((path) => differing.has(path))
}
