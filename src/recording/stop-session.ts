// Ends a session by hand, as its agent would when it quits. Uncommitted work stays with the session for the
// next commit.

import type { Session } from '../model/session.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { readLive, updateLive, writeLive } from '../sessions/live-index.ts'
import { decide } from '../sessions/machine.ts'
import { lockFile } from '../sessions/save.ts'
import { readSession, writeSession } from '../sessions/store.ts'
import { takeLock } from '../std/lock.ts'
import { formatTime } from '../std/time.ts'
import { dispatch } from './dispatch.ts'

const lockWaitMs = 10_000

/**
 * `recorder`: of the work tree the session ran in. Returns the session as it is now; undefined when it is
 * gone.
 */
export async function stopSession(recorder: Recorder, session: Session): Promise<Session | undefined> {
  const { repo } = recorder
  const isNameless = session.agentType === '' || session.agentType === 'Agent'
  const agent = isNameless
    ? (await recorder.loadAgents())[0]
    : await recorder.findAgentByType(session.agentType)
  // The rest of a turn can be saved only in its work tree, and only with an agent that can read its
  // transcript.
  if (agent !== undefined && session.worktreePath === repo.root)
    await dispatch(recorder, agent, { type: 'session-end', session: session.id })
  else await endOnly(recorder, session.id)
  return readSession(repo, session.id)
}

async function endOnly({ repo, clock }: Recorder, id: string): Promise<void> {
  using _lock = await takeLock(lockFile(repo), { waitMs: lockWaitMs })
  const session = readSession(repo, id)
  if (session === undefined) return
  const { phase, actions } = decide(session.phase, 'session-end')
  session.phase = phase
  const now = formatTime(clock())
  if (actions.some((action) => action === 'touch')) session.lastInteraction = now
  session.endedAt ??= now
  writeSession(repo, session)
  if (session.worktreePath !== repo.root) return
  const live = readLive(repo)
  updateLive(live, session)
  writeLive(repo, live)
}
