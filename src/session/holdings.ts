// What there is of ours besides checkpoints: sessions, the branches of their steps, and where HEAD is.
import { isShadowRef, shadowRef } from '../checkpoints/layout.ts'
import { git } from '../git/exec.ts'
import { listRefs, type RefTip } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import type { Session } from '../model/session.ts'
import { needsBranch, shadowsOf } from './in-use.ts'
import { readLive } from './live.ts'
import { listSessions } from './store.ts'
import { listWorktrees } from './work-trees.ts'

export interface Holdings {
  repo: Repo
  /** Undefined before the first commit. */
  head: string | undefined
  /** Of all work trees. */
  sessions: Session[]
  shadows: RefTip[]
  /** Ids of the sessions whose steps are on each branch. */
  owners: Map<string, string[]>
}

export async function readHoldings(repo: Repo): Promise<Holdings> {
  const [head, refs] = await Promise.all([
    git(repo, ['rev-parse', '--verify', '--quiet', 'HEAD'], { accept: [1, 128] }),
    listRefs(repo, 'refs/heads/entire/'),
  ])
  const sessions = listSessions(repo).sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    repo,
    head: head.stdout.toString('latin1').trim() || undefined,
    sessions,
    shadows: refs.filter(({ ref }) => isShadowRef(ref)),
    owners: findOwners(repo, sessions),
  }
}

/** The sessions of this work tree that stand on HEAD. */
export function sessionsAtHead({ repo, head, sessions }: Holdings): Session[] {
  return head === undefined ? [] : sessions.filter((session) => session.baseCommit === head && session.worktreeId === repo.worktreeId)
}

// A session whose state cannot be read is still in the index of its work tree, and its next event finds its steps there.
function findOwners(repo: Repo, sessions: Session[]): Map<string, string[]> {
  const known = new Set(sessions.map(({ id }) => id))
  const lost = listWorktrees(repo).flatMap((place) =>
    [...readLive(place).sessions]
      .filter(([id]) => !known.has(id))
      .map(([id, { base }]) => ({ id, ref: shadowRef(base, place.worktreeId) })),
  )
  const needed = sessions.filter(needsBranch).flatMap((session) => shadowsOf(session).map((ref) => ({ id: session.id, ref })))
  const owners = new Map<string, string[]>()
  for (const { id, ref } of [...needed, ...lost]) owners.set(ref, [...(owners.get(ref) ?? []), id])
  return owners
}
