// Some agents also run the hooks that were installed for another one: then two of them report one session, and only one is heard.
import type { Agent } from '../model/agent.ts'
import type { Session } from '../model/session.ts'
import type { Recorder } from './work.ts'

/** `takes over`: the session was begun through hooks that this agent had borrowed. */
export type Claim = 'owns' | 'takes over' | 'none'

export function claimOf(recorder: Pick<Recorder, 'agentCards'>, session: Session, agent: Agent): Claim {
  if (['', 'Agent', agent.type].includes(session.agentType)) return 'owns'
  // Nobody else runs the borrower's own hooks, so what they say of whose session it is holds.
  const lender = agent.borrowed?.from
  const owner = recorder.agentCards().find(({ type }) => type === session.agentType)
  return lender !== undefined && owner?.name === lender ? 'takes over' : 'none'
}
