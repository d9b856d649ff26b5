// Decides in which work tree an event belongs, and which agent may report it. A session may be resumed in
// another work tree: its uncommitted work stays behind, in the index of that work tree, until the session
// comes back.

import { join } from 'node:path'
import type { Repo } from '../git/repo.ts'
import type { Agent } from '../model/agent.ts'
import type { AgentEvent } from '../model/event.ts'
import { isActive, type Session } from '../model/session.ts'
import { exists } from '../std/file.ts'
import type { Recorder } from './event-work.ts'
import type { LiveIndex } from './live-index.ts'
import { findSessionState } from './store.ts'
import { worktreeOf } from './worktrees.ts'

/** A turn begins in the work tree where the agent is now; every other event belongs where its turn began. */
export async function findEventWorktree(
  repo: Repo,
  event: AgentEvent,
  endTurn: (place: Repo) => Promise<void>,
): Promise<Repo> {
  if (repo.worktreeId === '' && !exists(join(repo.commonDir, 'worktrees'))) return repo
  const session = findSessionState(repo, event.session)
  const place = session === undefined ? repo : worktreeOf(repo, session)
  if (session === undefined || place.gitDir === repo.gitDir) return repo
  if (event.type !== 'turn-start' && event.type !== 'session-start') return place
  if (isActive(session)) await endTurn(place)
  return repo
}

/** Makes this the work tree of the session. */
export function moveToWorktree(repo: Repo, session: Session, live: Pick<LiveIndex, 'sessions'>): void {
  session.worktreePath = repo.root
  if (session.worktreeId === repo.worktreeId) return
  const { base = '', files = [] } = live.sessions.get(session.id) ?? {}
  session.worktreeId = repo.worktreeId
  session.phase = session.phase === 'ended' ? 'ended' : 'idle'
  session.baseCommit = session.attributionBase = base
  session.filesTouched = files
  session.stepCount = files.length > 0 ? 1 : 0
  session.turnFiles = session.turnCheckpoints = session.untrackedAtStart = []
  session.promptAttributions = []
  delete session.pendingAttribution
  delete session.lastCheckpoint
  delete session.turnHead
}

/**
 * How the agent that reports an event stands to the session. Some agents also run the hooks that were
 * installed for another one, so two of them report one session. `successor`: the session was begun through
 * hooks that this agent had borrowed.
 */
export type Reporter = 'owner' | 'successor' | 'stranger'

export function reporterOf(recorder: Pick<Recorder, 'agentCards'>, session: Session, agent: Agent): Reporter {
  if (['', 'Agent', agent.type].includes(session.agentType)) return 'owner'
  // Only the borrower runs its own hooks, so what they report of the session's owner holds.
  const lender = agent.borrowed?.from
  const owner = recorder.agentCards().find(({ type }) => type === session.agentType)
  return lender !== undefined && owner?.name === lender ? 'successor' : 'stranger'
}
