// Sends the events that hooks would have sent for what a file shows, through the same dispatcher.

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

/** A session in a file. `upTo`: how much of it has been read; undefined when all of it. */
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
  /** The agent has changed files since. */
  isUnderway?: boolean | undefined
}

export async function startTurn(reached: ReachedSession, start: TurnStart): Promise<void> {
  const { bytes, items, prompt, commit, isUnderway } = start
  const head =
    commit === undefined ? undefined : (await readCommit(reached.recorder.repo, commit))?.parents[0]
  const began = { bytes, items, ...given({ head, isUnderway }) }
  await send(reached, { type: 'turn-start', began, ...given({ prompt }) })
}

/** The session after its turn; undefined when the turn had been ended already. */
export async function endTurn(reached: ReachedSession): Promise<Session | undefined> {
  const { recorder, session } = reached
  const before = findSessionState(recorder.repo, session.id)
  if (before === undefined || !isActive(before)) return undefined
  // An agent with a watcher of its own names its commits, which are adopted one by one, and its edits.
  const isLate = reached.upTo !== undefined && reached.agent.watcher !== undefined
  await send(reached, { type: 'turn-end', ...(isLate ? { isLate } : {}) })
  return findSessionState(recorder.repo, session.id)
}

export async function endSession(reached: ReachedSession): Promise<void> {
  if (findSessionState(reached.recorder.repo, reached.session.id) !== undefined)
    await send(reached, { type: 'session-end' })
}

/** For a commit that git's hooks did not link, because they did not run or ran before the turn was known. */
export async function adoptReportedCommit(reached: ReachedSession, commit: string): Promise<void> {
  const { recorder } = limited(reached)
  await adoptCommit(recorder, commit)
}

/** True when hooks, or a watcher that died before it saved its state, reported the turn that begins here. */
export function isReported(
  { recorder, agent, path, session }: Omit<ReachedSession, 'upTo'>,
  { bytes, at, before }: { bytes: number; at: string | undefined; before: string | undefined },
): boolean {
  const known = findSessionState(recorder.repo, session.id)
  if (known === undefined) return false
  const began = isActive(known) ? readTurnStart(recorder.repo, session.id)?.bytes : undefined
  // `began` is where the running turn began. Its hook runs before the prompt is written to the file, so that
  // the first prompt after it belongs to that turn.
  if (began !== undefined && (bytes <= began || (session.lastStart ?? -1) < began)) return true
  if (agent.hookNames.length === 0) return false
  if (known.cursor?.path === path && known.cursor.bytes > bytes) return true
  // Before the watcher saw the session, only hooks could have updated it.
  const [typed, last] = [parseTime(at), parseTime(before)]
  return typed !== undefined && last !== undefined && typed <= last
}

async function send(
  reached: ReachedSession,
  event: Pick<AgentEvent, 'type' | 'began' | 'prompt' | 'isLate'>,
): Promise<void> {
  const { recorder, agent } = limited(reached)
  await dispatch(recorder, agent, { ...event, session: reached.session.id, transcript: reached.path })
}

/** Limits what the recorder can read: turns that are reported late must not include what came after them. */
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
