// Some agents also run the hooks that were installed for another one: then two of them report one session, and only one is heard.
import type { Agent } from '../model/agent.ts'
import type { Session } from '../model/session.ts'
import type { Recorder } from './work.ts'

/** `takes over`: the session was begun through hooks that this agent had borrowed. */
export type Claim = 'owns' | 'takes over' | 'none'

export function claimOf(recorder: Pick<Recorder, 'findAgentByType'>, session: Session, agent: Agent): Claim {
  if (['', 'Agent', agent.type].includes(session.agentType)) return 'owns'
  // Nobody else runs the borrower's own hooks, so what they say of whose session it is holds.
  const lender = agent.borrowed?.from
  return lender !== undefined && recorder.findAgentByType(session.agentType)?.name === lender ? 'takes over' : 'none'
}
