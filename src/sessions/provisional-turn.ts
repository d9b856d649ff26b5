// A turn that began with its session, because the agent may never tell of its prompts. Until the agent shows that it is at work, the
// turn is still to come: what changes in the meantime is the user's.
import type { AgentEvent } from '../model/event.ts'
import { isActive } from '../model/session.ts'
import { hasTokens } from '../model/tokens.ts'
import { readTurnStart } from './turn-start-state.ts'
import type { EventWork, TurnTranscript } from './work.ts'

type Turn = Pick<EventWork, 'recorder' | 'session'> & {
  /** The prompt in it may be in the transcript already. */
  event?: Pick<AgentEvent, 'prompt'>
  transcript?: Promise<TurnTranscript | undefined> | undefined
}

/** True when a prompt would not begin another turn, but this one. */
export async function isProvisional(turn: Turn): Promise<boolean> {
  const { recorder, session } = turn
  return (
    isActive(session) &&
    readTurnStart(recorder.repo, session.id)?.isProvisional === true &&
    (await hasNoWorkYet(turn))
  )
}

/** True while nothing says that the agent did anything in the turn. */
export async function hasNoWorkYet({ session, event, transcript }: Turn): Promise<boolean> {
  if (session.phase !== 'active' || session.turnFiles.length > 0) return false
  const said = await transcript
  if (said === undefined) return true
  const isAsked = said.prompts.some((prompt) => prompt !== event?.prompt)
  return !isAsked && said.summary === '' && said.files.length === 0 && !hasTokens(said.tokens)
}
