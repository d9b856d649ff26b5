// Plans what `clean` removes and what it leaves because it is in use, and discards it: to the trash first,
// under the locks of all work trees, and only what the user agreed to.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { branchName, shadowRef } from '../checkpoints/layout.ts'
import type { RefTip } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { isActive, type Session } from '../model/session.ts'
import { isStuck } from '../recording/dead-turn.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { openGit } from '../sessions/git-session.ts'
import { expireKeptRefs } from '../sessions/kept-refs.ts'
import { readLive, writeLive } from '../sessions/live-index.ts'
import { temporaryDirs } from '../sessions/places.ts'
import { promptFile } from '../sessions/prompts.ts'
import { retrying } from '../sessions/save.ts'
import { sessionsDir } from '../sessions/store.ts'
import { turnFile } from '../sessions/turn-start-state.ts'
import { listWorktrees, lockWorktrees, worktreeOf } from '../sessions/worktrees.ts'
import { findStat } from '../std/file.ts'
import { type Inventory, readInventory, sessionsAtHead, shadowsOf, whyInUse } from './inventory.ts'
import { addToTrash, readForTrash, removeTrashed, type TrashContent } from './trash.ts'

export interface DiscardPlan {
  sessions: Session[]
  branches: RefTip[]
  /** Paths of temporary files. */
  temporary: string[]
  /** Paths of session states that cannot be read. */
  unreadable: string[]
}

export function emptyPlan(): DiscardPlan {
  return { sessions: [], branches: [], temporary: [], unreadable: [] }
}

export function countPlan({ sessions, branches, temporary, unreadable }: DiscardPlan): number {
  return sessions.length + branches.length + temporary.length + unreadable.length
}

export interface CleanPlan extends DiscardPlan {
  inUse: ItemInUse[]
}

export interface ItemInUse {
  kind: 'session' | 'branch'
  name: string
  why: string
}

/** The sessions at HEAD in this work tree, and their shadow branch. */
export function planHead(inventory: Inventory, now: Date): CleanPlan {
  const { repo, head, shadows } = inventory
  const branch = head === undefined ? undefined : shadowRef(head, repo.worktreeId)
  return plan(
    inventory,
    sessionsAtHead(inventory),
    shadows.filter(({ ref }) => ref === branch),
    now,
  )
}

/** Everything in all work trees, what dead turns left in this one, and what killed processes fetched. */
export function planAll(inventory: Inventory, now: Date): CleanPlan {
  const { sessions, shadows, leftovers } = inventory
  return {
    ...plan(inventory, sessions, [...shadows, ...leftovers], now),
    temporary: findDeadTurns(inventory),
  }
}

function plan({ owners }: Inventory, sessions: Session[], branches: RefTip[], now: Date): CleanPlan {
  const reasons = new Map(sessions.map((session) => [session, whyInUse(session, now)]))
  const isOwned = ({ ref }: RefTip) => (owners.get(ref) ?? []).length > 0
  return {
    ...emptyPlan(),
    sessions: sessions.filter((session) => reasons.get(session) === undefined),
    branches: branches.filter((branch) => !isOwned(branch)),
    inUse: [
      ...sessions.flatMap((session): ItemInUse[] => {
        const why = reasons.get(session)
        return why === undefined ? [] : [{ kind: 'session', name: session.id, why }]
      }),
      ...branches.filter(isOwned).map(({ ref }): ItemInUse => {
        return {
          kind: 'branch',
          name: branchName(ref),
          why: `has steps of ${(owners.get(ref) ?? []).join(', ')}`,
        }
      }),
    ],
  }
}

// A turn removes these files when it ends, and creates them under the lock that `discard` holds.
function findDeadTurns({ repo, sessions }: Inventory): string[] {
  const running = sessions.filter((session) => isActive(session) && session.worktreeId === repo.worktreeId)
  const runningFiles = new Set(running.flatMap(({ id }) => [`pre-prompt-${id}.json`, `analysis-${id}.json`]))
  return listTemporary(repo).filter((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (/^(?:pre-prompt|analysis)-/.test(name)) return !runningFiles.has(name)
    return name.startsWith('pre-task-') && running.length === 0
  })
}

function listTemporary(repo: Repo): string[] {
  return temporaryDirs(repo).flatMap((dir) => {
    try {
      return readdirSync(dir)
        .filter((name) => name.endsWith('.json'))
        .map((name) => join(dir, name))
        .filter((path) => findStat(path)?.isFile())
    } catch {
      return []
    }
  })
}

/** The sessions, and those of their branches on which no other session has steps. */
export function planSessions({ shadows, owners }: Inventory, sessions: Session[]): DiscardPlan {
  const ids = new Set(sessions.map(({ id }) => id))
  const refs = new Set(sessions.flatMap(shadowsOf))
  const isUnshared = ({ ref }: RefTip) => refs.has(ref) && (owners.get(ref) ?? []).every((id) => ids.has(id))
  return { ...emptyPlan(), sessions, branches: shadows.filter(isUnshared) }
}

/**
 * `replan` runs under the locks: only what is in both plans is removed, so that recent changes are left
 * alone.
 */
export async function discard(
  recorder: Recorder,
  by: string,
  agreed: DiscardPlan,
  replan: (inventory: Inventory) => DiscardPlan,
): Promise<DiscardPlan> {
  const { repo } = recorder
  let done = emptyPlan()
  using _lock = await lockWorktrees(listWorktrees(repo))
  await retrying(async () => {
    const plan = restrict(replan(await readInventory(repo)), agreed)
    if (countPlan(plan) === 0) return
    await using git = openGit(repo)
    const content = collect(recorder, plan)
    await addToTrash({ recorder, git }, by, content)
    await git.commit()
    await removeTrashed(repo, content)
    forget(recorder, plan.sessions)
    done = plan
  })
  await expireKeptRefs(recorder)
  return done
}

function restrict(plan: DiscardPlan, agreed: DiscardPlan): DiscardPlan {
  const [ids, refs] = [
    new Set(agreed.sessions.map(({ id }) => id)),
    new Set(agreed.branches.map(({ ref }) => ref)),
  ]
  return {
    sessions: plan.sessions.filter(({ id }) => ids.has(id)),
    branches: plan.branches.filter(({ ref }) => refs.has(ref)),
    temporary: plan.temporary.filter((path) => agreed.temporary.includes(path)),
    unreadable: plan.unreadable.filter((path) => agreed.unreadable.includes(path)),
  }
}

function collect({ repo, clock }: Recorder, plan: DiscardPlan): TrashContent {
  const ofSessions = plan.sessions.flatMap((session) => {
    const worktree = worktreeOf(repo, session)
    // A running turn needs this file at its end, to find out what it changed.
    const isRunning = isActive(session) && !isStuck(session, clock())
    return [
      readForTrash(join(sessionsDir(repo), `${session.id}.json`), 'sessions'),
      readForTrash(promptFile(worktree, session.id), 'prompts', `${session.id}.txt`),
      ...(isRunning ? [] : temporaryDirs(worktree)).map((dir) =>
        readForTrash(join(dir, turnFile(session.id)), 'tmp'),
      ),
    ]
  })
  const others = [
    ...plan.temporary.map((path) => readForTrash(path, 'tmp')),
    ...plan.unreadable.map((path) => readForTrash(path, 'sessions')),
  ]
  const files = [...ofSessions, ...others].filter((file) => file !== undefined)
  return { branches: plan.branches, files: [...new Map(files.map((file) => [file.path, file])).values()] }
}

function forget({ repo }: Recorder, sessions: Session[]): void {
  for (const worktree of new Set(sessions.map((session) => worktreeOf(repo, session)))) {
    const live = readLive(worktree)
    for (const { id } of sessions) live.sessions.delete(id)
    writeLive(worktree, live)
  }
}
