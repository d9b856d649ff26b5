// Recognises a provisional turn: one that began with its session, because the agent may never report its
// prompts. Until the agent shows that it is at work, what changes in the work tree is the user's.

import type { AgentEvent } from '../model/event.ts'
import { isActive } from '../model/session.ts'
import { hasTokens } from '../model/tokens.ts'
import type { EventWork } from './event-work.ts'
import type { TurnTranscript } from './transcript.ts'
import { readTurnStart } from './turn-start-state.ts'

type RunningTurn = Pick<EventWork, 'recorder' | 'session'> & {
  /** Its prompt may be in the transcript already. */
  event?: Pick<AgentEvent, 'prompt'>
}

type ReadTranscript = () => Promise<TurnTranscript | undefined> | undefined

/** True when a prompt would not begin another turn, but this one. */
export async function isProvisional(turn: RunningTurn, readTranscript: ReadTranscript): Promise<boolean> {
  const { recorder, session } = turn
  return (
    isActive(session) &&
    readTurnStart(recorder.repo, session.id)?.isProvisional === true &&
    (await hasNoWorkYet(turn, readTranscript))
  )
}

/** True while nothing shows that the agent did anything in the turn. */
export async function hasNoWorkYet(
  { session, event }: RunningTurn,
  readTranscript: ReadTranscript,
): Promise<boolean> {
  if (session.phase !== 'active' || session.turnFiles.length > 0) return false
  const transcript = await readTranscript()
  if (transcript === undefined) return true
  const hasOtherPrompt = transcript.prompts.some((prompt) => prompt !== event?.prompt)
  return (
    !hasOtherPrompt &&
    transcript.summary === '' &&
    transcript.files.length === 0 &&
    !hasTokens(transcript.tokens)
  )
}
