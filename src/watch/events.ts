// From what a file tells to the events that hooks would have sent, through the same dispatcher.

import { adoptCommit } from '../commits/adopt.ts'
import { readCommit } from '../git/commit.ts'
import type { Agent } from '../model/agent.ts'
import type { AgentEvent } from '../model/event.ts'
import { isActive, type Session } from '../model/session.ts'
import { dispatch } from '../recording/dispatch.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { findSessionState } from '../sessions/store.ts'
import { readTurnStart } from '../sessions/turn-start-state.ts'
import { given } from '../std/given.ts'
import { parseTime } from '../std/time.ts'
import type { WatchedSession } from './state.ts'

/**
 * A session in a file, as far as it has been read. `upTo`: where in the session; undefined when that is all
 * there is.
 */
export interface ReachedSession {
  recorder: Recorder
  agent: Agent
  path: string
  session: WatchedSession
  upTo: number | undefined
}

export interface TurnStart {
  /** Where the turn begins in the session. */
  bytes: number
  items: number
  prompt?: string | undefined
  /** The first commit that the turn has made since. */
  commit?: string | undefined
}

export async function startTurn(reached: ReachedSession, start: TurnStart): Promise<void> {
  const { bytes, items, prompt, commit } = start
  const head =
    commit === undefined ? undefined : (await readCommit(reached.recorder.repo, commit))?.parents[0]
  const began = { bytes, items, ...given({ head }) }
  await send(reached, { type: 'turn-start', began, ...given({ prompt }) })
}

/** The session after its turn; undefined when somebody else had ended it. */
export async function endTurn(reached: ReachedSession): Promise<Session | undefined> {
  const { recorder, session } = reached
  const before = findSessionState(recorder.repo, session.id)
  if (before === undefined || !isActive(before)) return undefined
  await send(reached, { type: 'turn-end' })
  return findSessionState(recorder.repo, session.id)
}

export async function endSession(reached: ReachedSession): Promise<void> {
  if (findSessionState(reached.recorder.repo, reached.session.id) !== undefined)
    await send(reached, { type: 'session-end' })
}

/**
 * Commits are linked by git's hooks; where these did not run, or ran before we knew of the turn, the agent's
 * own word is taken.
 */
export async function adoptReportedCommit(reached: ReachedSession, commit: string): Promise<void> {
  const { recorder } = limited(reached)
  await adoptCommit(recorder, commit)
}

/** Whether hooks, or a watcher that died before it could note it, reported the turn that begins here. */
export function isReported(
  { recorder, agent, path, session }: Omit<ReachedSession, 'upTo'>,
  { bytes, at, before }: { bytes: number; at: string | undefined; before: string | undefined },
): boolean {
  const known = findSessionState(recorder.repo, session.id)
  if (known === undefined) return false
  const began = isActive(known) ? readTurnStart(recorder.repo, session.id)?.bytes : undefined
  // Where the turn began that is going on now. A hook comes before the prompt is written down, so the first one after it is that turn's.
  if (began !== undefined && (bytes <= began || (session.lastStart ?? -1) < began)) return true
  if (agent.hookNames.length === 0) return false
  if (known.cursor?.path === path && known.cursor.bytes > bytes) return true
  // Before we knew the session, only hooks could have touched it.
  const [typed, last] = [parseTime(at), parseTime(before)]
  return typed !== undefined && last !== undefined && typed <= last
}

async function send(
  reached: ReachedSession,
  event: Pick<AgentEvent, 'type' | 'began' | 'prompt'>,
): Promise<void> {
  const { recorder, agent } = limited(reached)
  await dispatch(recorder, agent, { ...event, session: reached.session.id, transcript: reached.path })
}

/** Turns that went by unseen are told one after the other; none of them may know what came later. */
function limited({
  recorder,
  agent,
  path,
  session,
  upTo,
}: ReachedSession): Pick<ReachedSession, 'recorder' | 'agent'> {
  if (upTo === undefined) return { recorder, agent }
  const cursor = findSessionState(recorder.repo, session.id)?.cursor
  const length = Math.max(upTo, cursor?.path === path ? cursor.bytes : 0)
  const find = (file: string, id: string) => {
    const part = agent.sections === undefined ? { from: 0, to: length } : agent.sections.find(file, id)
    return part && { from: part.from, to: Math.min(part.to, part.from + length) }
  }
  const short: Agent = { ...agent, sections: { find } }
  return {
    agent: short,
    recorder: {
      ...recorder,
      findAgentByType: async (type) => (type === agent.type ? short : await recorder.findAgentByType(type)),
    },
  }
}
