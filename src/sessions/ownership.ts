// A session may be resumed in another work tree of its repository. Its work that is not committed stays behind: every work tree's own
// index keeps what the session left there, and the session takes it up again where it goes on.

import { join } from 'node:path'
import type { Repo } from '../git/repo.ts'
import type { Agent } from '../model/agent.ts'
import type { AgentEvent } from '../model/event.ts'
import { isActive, type Session } from '../model/session.ts'
import { exists } from '../std/file.ts'
import type { LiveIndex } from './live-index.ts'
import { findSessionState } from './store.ts'
import type { Recorder } from './work.ts'
import { worktreeOf } from './work-trees.ts'

/** The work tree an event belongs to: a turn begins where the agent is now, and everything else happens where its turn began. */
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

/** The session as it goes on in this work tree. */
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
  delete session.lastStepAt
  delete session.lastCheckpoint
  delete session.turnHead
}

// Some agents also run the hooks that were installed for another one: then two of them report one session, and only one is heard.

/** `takes over`: the session was begun through hooks that this agent had borrowed. */
export type Reporter = 'owns' | 'takes over' | 'none'

export function reporterOf(recorder: Pick<Recorder, 'agentCards'>, session: Session, agent: Agent): Reporter {
  if (['', 'Agent', agent.type].includes(session.agentType)) return 'owns'
  // Nobody else runs the borrower's own hooks, so what they say of whose session it is holds.
  const lender = agent.borrowed?.from
  const owner = recorder.agentCards().find(({ type }) => type === session.agentType)
  return lender !== undefined && owner?.name === lender ? 'takes over' : 'none'
}
