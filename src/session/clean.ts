// What can go without anybody missing it, and what stays and why.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { branchOf, shadowRef } from '../checkpoints/layout.ts'
import type { RefTip } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { isActive, type Session } from '../model/session.ts'
import { findStat } from '../std/file.ts'
import { type DiscardPlan, emptyPlan } from './discard.ts'
import { type Holdings, sessionsAtHead } from './holdings.ts'
import { whyInUse } from './in-use.ts'

export interface Kept {
  kind: 'session' | 'branch'
  name: string
  why: string
}

export interface CleanPlan extends DiscardPlan {
  kept: Kept[]
}

/** What belongs to HEAD in this work tree. */
export function planHead(holdings: Holdings, now: Date): CleanPlan {
  const { repo, head, shadows } = holdings
  const branch = head === undefined ? undefined : shadowRef(head, repo.worktreeId)
  return plan(
    holdings,
    sessionsAtHead(holdings),
    shadows.filter(({ ref }) => ref === branch),
    now,
  )
}

/** Everything in all work trees, and what dead turns left in this one. */
export function planAll(holdings: Holdings, now: Date): CleanPlan {
  return { ...plan(holdings, holdings.sessions, holdings.shadows, now), temporary: findDeadTurns(holdings) }
}

function plan({ owners }: Holdings, sessions: Session[], branches: RefTip[], now: Date): CleanPlan {
  const reasons = new Map(sessions.map((session) => [session, whyInUse(session, now)]))
  const isOwned = ({ ref }: RefTip) => (owners.get(ref) ?? []).length > 0
  return {
    ...emptyPlan,
    sessions: sessions.filter((session) => reasons.get(session) === undefined),
    branches: branches.filter((branch) => !isOwned(branch)),
    kept: [
      ...sessions.flatMap((session): Kept[] => {
        const why = reasons.get(session)
        return why === undefined ? [] : [{ kind: 'session', name: session.id, why }]
      }),
      ...branches.filter(isOwned).map(({ ref }): Kept => {
        return { kind: 'branch', name: branchOf(ref), why: `has steps of ${(owners.get(ref) ?? []).join(', ')}` }
      }),
    ],
  }
}

// A turn removes its notes when it ends; whoever holds the lock sees none of a turn that is just beginning.
function findDeadTurns({ repo, sessions }: Holdings): string[] {
  const running = sessions.filter((session) => isActive(session) && session.worktreeId === repo.worktreeId)
  const turns = new Set(running.map(({ id }) => `pre-prompt-${id}.json`))
  return listTemporary(repo).filter((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (name.startsWith('pre-prompt-')) return !turns.has(name)
    return name.startsWith('pre-task-') && running.length === 0
  })
}

function listTemporary(repo: Repo): string[] {
  const dir = join(repo.root, '.entire', 'tmp')
  try {
    return readdirSync(dir)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(dir, name))
      .filter((path) => findStat(path)?.isFile())
  } catch {
    return []
  }
}
