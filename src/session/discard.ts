// Taking sessions, branches and leftovers away: into the trash first, under the locks of all work trees, and only what was agreed to.
import { join } from 'node:path'
import { sessionDir } from '../checkpoints/layout.ts'
import type { RefTip } from '../git/refs.ts'
import { isActive, type Session } from '../model/session.ts'
import { type Holdings, readHoldings } from './holdings.ts'
import { shadowsOf } from './in-use.ts'
import { expireKept } from './kept.ts'
import { readLive, writeLive } from './live.ts'
import { retrying } from './persist.ts'
import { sessionsDir } from './store.ts'
import { isStuck } from './stuck.ts'
import { keepInTrash, type Rubbish, readRubbish, removeRubbish } from './trash.ts'
import { openGit, type Recorder } from './work.ts'
import { listWorktrees, lockWorktrees, worktreeOf } from './work-trees.ts'

export interface DiscardPlan {
  sessions: Session[]
  branches: RefTip[]
  /** Paths of files in `.entire/tmp`. */
  temporary: string[]
  /** Files of sessions that nobody could read. */
  unreadable: string[]
}

export const emptyPlan: DiscardPlan = { sessions: [], branches: [], temporary: [], unreadable: [] }

export function countPlan({ sessions, branches, temporary, unreadable }: DiscardPlan): number {
  return sessions.length + branches.length + temporary.length + unreadable.length
}

/** Sessions, and of their branches those that no other session has steps on. */
export function planSessions({ shadows, owners }: Holdings, sessions: Session[]): DiscardPlan {
  const ids = new Set(sessions.map(({ id }) => id))
  const refs = new Set(sessions.flatMap(shadowsOf))
  const isFree = ({ ref }: RefTip) => refs.has(ref) && (owners.get(ref) ?? []).every((id) => ids.has(id))
  return { ...emptyPlan, sessions, branches: shadows.filter(isFree) }
}

/** `look` plans again when nobody can interfere any more: what changed since the person agreed to it is left alone. */
export async function discard(
  recorder: Recorder,
  by: string,
  agreed: DiscardPlan,
  look: (holdings: Holdings) => DiscardPlan,
): Promise<DiscardPlan> {
  const { repo } = recorder
  let done = emptyPlan
  using _lock = await lockWorktrees(listWorktrees(repo))
  await retrying(async () => {
    const plan = restrict(look(await readHoldings(repo)), agreed)
    if (countPlan(plan) === 0) return
    await using git = openGit(repo)
    const rubbish = collect(recorder, plan)
    await keepInTrash({ recorder, git }, by, rubbish)
    await git.commit()
    await removeRubbish(repo, rubbish)
    forget(recorder, plan.sessions)
    done = plan
  })
  await expireKept(recorder)
  return done
}

function restrict(plan: DiscardPlan, agreed: DiscardPlan): DiscardPlan {
  const [ids, refs] = [new Set(agreed.sessions.map(({ id }) => id)), new Set(agreed.branches.map(({ ref }) => ref))]
  return {
    sessions: plan.sessions.filter(({ id }) => ids.has(id)),
    branches: plan.branches.filter(({ ref }) => refs.has(ref)),
    temporary: plan.temporary.filter((path) => agreed.temporary.includes(path)),
    unreadable: plan.unreadable.filter((path) => agreed.unreadable.includes(path)),
  }
}

function collect({ repo, clock }: Recorder, plan: DiscardPlan): Rubbish {
  const ofSessions = plan.sessions.flatMap((session) => {
    const { root } = worktreeOf(repo, session)
    // What a running turn began with tells, when it ends, what it changed.
    const runs = isActive(session) && !isStuck(session, clock())
    return [
      readRubbish(join(sessionsDir(repo), `${session.id}.json`), 'sessions'),
      readRubbish(join(root, sessionDir(session.id), 'prompt.txt'), 'prompts', `${session.id}.txt`),
      runs ? undefined : readRubbish(join(root, '.entire', 'tmp', `pre-prompt-${session.id}.json`), 'tmp'),
    ]
  })
  const others = [
    ...plan.temporary.map((path) => readRubbish(path, 'tmp')),
    ...plan.unreadable.map((path) => readRubbish(path, 'sessions')),
  ]
  const files = [...ofSessions, ...others].filter((file) => file !== undefined)
  return { branches: plan.branches, files: [...new Map(files.map((file) => [file.path, file])).values()] }
}

function forget({ repo }: Recorder, sessions: Session[]): void {
  for (const place of new Set(sessions.map((session) => worktreeOf(repo, session)))) {
    const live = readLive(place)
    for (const { id } of sessions) live.sessions.delete(id)
    writeLive(place, live)
  }
}
