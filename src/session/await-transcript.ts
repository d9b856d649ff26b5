// The end of a turn is often told before the last lines of the transcript are written.
import type { Agent } from '../model/agent.ts'
import type { AgentEvent } from '../model/event.ts'
import { readSession } from './store.ts'
import type { Recorder } from './work.ts'

/** The event, with what the agent wants to be remembered of the waiting. */
export async function awaitTranscript({ repo }: Recorder, agent: Agent, event: AgentEvent): Promise<AgentEvent> {
  const path = event.subagentTranscript ?? event.transcript
  const isEnd = event.type === 'turn-end' || event.type === 'session-end'
  if (agent.preparer === undefined || path === undefined || (event.lastMessage === undefined && !isEnd)) return event
  // Nothing is read at the end of a session that never had a turn.
  if (event.type === 'session-end' && readSession(repo, event.session) === undefined) return event
  const noted = await agent.preparer.prepare(path, event, () => readSession(repo, event.session)?.metadata)
  return noted === undefined ? event : { ...event, metadata: { ...event.metadata, ...noted } }
}
