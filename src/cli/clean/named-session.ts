// The one session that `--session` names, as clean and reset take it away: in use or not, because the person says so.
import type { Repo } from '../../git/repo.ts'
import type { Session } from '../../model/session.ts'
import { type DiscardPlan, emptyPlan, planSessions } from '../../session/discard.ts'
import type { Holdings } from '../../session/holdings.ts'
import { EntireError } from '../../std/errors.ts'
import { clean } from '../render/text.ts'
import { findSessionId } from '../session/find-session.ts'

export function requireSession(repo: Repo, { sessions }: Holdings, prefix: string): Session {
  const id = findSessionId(repo, prefix)
  const session = sessions.find((candidate) => candidate.id === id)
  if (session !== undefined) return session
  if (id !== undefined)
    throw new EntireError('corrupt-state', `The state of session ${clean(id)} cannot be read.`, { hint: 'Run `entire doctor`.' })
  throw new EntireError('not-found', `session not found: ${clean(prefix)}`, { hint: '`entire session list` shows the sessions there are.' })
}

export function planNamed(holdings: Holdings, id: string): DiscardPlan {
  const session = holdings.sessions.find((candidate) => candidate.id === id)
  return session === undefined ? emptyPlan : planSessions(holdings, [session])
}

export function describeNamed(session: Session): string {
  return `Phase: ${session.phase}, Checkpoints: ${session.stepCount}`
}
