// Sessions as the status shows them.
import { isActive, type Session } from '../../model/session.ts'
import { parseTime } from '../../std/time.ts'
import { clean, cut } from './text.ts'
import { timeAgo } from './time.ts'

const unknown = '(unknown)'

/** Grouped by work tree, newest first; no lines when nothing is open. */
export function activeSessionLines(sessions: Session[], branches: Map<string, string | undefined>, now: Date): string[] {
  if (sessions.length === 0) return []
  const groups = Map.groupBy(sessions, (session) => session.worktreePath || unknown)
  const paths = [...groups.keys()].sort()
  return [
    '',
    'Active Sessions:',
    ...paths.flatMap((path, index) => [
      ...(index > 0 ? [''] : []),
      `  ${clean(path)} (${clean(branches.get(path) ?? 'unknown')})`,
      ...(groups.get(path) as Session[]).toSorted((a, b) => started(b) - started(a)).flatMap((session) => sessionLines(session, now)),
    ]),
  ]
}

function sessionLines(session: Session, now: Date): string[] {
  const start = parseTime(session.startedAt)
  const last = parseTime(session.lastInteraction)
  const active = start && last && last.getTime() - start.getTime() > 60_000 ? `, active ${timeAgo(last, now)}` : ''
  const agent = clean(session.agentType) || unknown
  const head = `    [${agent}] ${clean(session.id).slice(0, 7).padEnd(9)} started ${start ? timeAgo(start, now) : unknown}${active}`
  return session.firstPrompt ? [head, `      "${cut(session.firstPrompt, 60)}"`] : [head]
}

/** One entry per agent; a running turn anywhere makes it active. */
export function sessionsPerAgent(sessions: Session[]) {
  const groups = Map.groupBy(sessions, (session) => session.agentType || unknown)
  return [...groups].map(([agent, group]) => {
    const shown = group.find(isActive) ?? group.toSorted((a, b) => started(b) - started(a))[0]
    return { agent, ...(shown?.model ? { model: shown.model } : {}), status: group.some(isActive) ? 'active' : 'idle' }
  })
}

function started(session: Session): number {
  return parseTime(session.startedAt)?.getTime() ?? 0
}
