// Formats sessions for `entire status` and `entire session list`.

import { isActive, type Session } from '../../model/session.ts'
import { whyStuck } from '../../recording/dead-turn.ts'
import { countOf } from '../../std/plural.ts'
import { parseTime } from '../../std/time.ts'
import { timeAgo, tokensText } from './numbers.ts'
import { clean, cut } from './text.ts'

export const unknownText = '(unknown)'

export type SessionStatus = 'active' | 'idle' | 'ended'

export function statusOf(session: Session): SessionStatus {
  if (session.endedAt !== undefined || session.phase === 'ended') return 'ended'
  return isActive(session) ? 'active' : 'idle'
}

/** Why a turn marked as running has probably died: its process has exited, or it was silent for an hour. */
export function findTrouble(session: Session, now: Date): 'exited' | 'stale' | undefined {
  const why = statusOf(session) === 'active' ? whyStuck(session, now) : undefined
  if (why === undefined) return undefined
  return /\bexited\b/.test(why) ? 'exited' : 'stale'
}

export function latestPromptOf(session: Session): string | undefined {
  return session.lastPrompt || session.firstPrompt || undefined
}

/** Groups the sessions by work tree, newest first; empty without sessions. */
export function activeSessionLines(
  sessions: Session[],
  branches: Map<string, string | undefined>,
  now: Date,
): string[] {
  if (sessions.length === 0) return []
  const groups = Map.groupBy(sessions, (session) => session.worktreePath || unknownText)
  const paths = [...groups.keys()].sort()
  return [
    '',
    'Active Sessions:',
    ...paths.flatMap((path, index) => [
      ...(index > 0 ? [''] : []),
      `  ${clean(path)} (${clean(branches.get(path) ?? 'unknown')})`,
      ...(groups.get(path) as Session[])
        .toSorted((a, b) => started(b) - started(a))
        .flatMap((session) => sessionLines(session, now)),
    ]),
  ]
}

function sessionLines(session: Session, now: Date): string[] {
  const start = parseTime(session.startedAt)
  const agent = clean(session.agentType) || unknownText
  // The original's status shows seven characters.
  const id = [...clean(session.id)].slice(0, 7).join('').padEnd(9)
  const facts = [
    clean(session.model ?? ''),
    withWord(tokensText(session.tokens), 'tokens'),
    troubleText(session, now),
  ]
  return [
    `    [${agent}] ${id} started ${start ? timeAgo(start, now) : unknownText}${sinceText(session, now, ', ')}`,
    ...(session.firstPrompt ? [`      "${cut(session.firstPrompt, 60)}"`] : []),
    ...joined(facts).map((line) => `      ${line}`),
  ]
}

/** An entry of the session list. */
export function cardLines(session: Session, now: Date): string[] {
  const start = parseTime(session.startedAt)
  const prompt = latestPromptOf(session)
  const head = [
    clean(session.agentType) || unknownText,
    clean(session.model ?? ''),
    worktreeLabel(session),
    `session ${clean(session.id)}`,
    session.lastCheckpoint === undefined ? '' : `checkpoint ${clean(session.lastCheckpoint)}`,
  ]
  const life = [
    statusOf(session),
    `started ${start ? timeAgo(start, now) : unknownText}`,
    sinceText(session, now, ''),
    withWord('tokens', tokensText(session.tokens)),
    troubleText(session, now),
  ]
  return [
    ...joined(head),
    ...(prompt === undefined ? [] : [`  > "${cut(prompt, 60)}"`]),
    ...joined(life).map((line) => `  ${line}`),
  ]
}

/** The name of a linked work tree, or of the directory of the main one. */
export function worktreeLabel({ worktreeId, worktreePath }: Session): string {
  return clean(worktreeId) || clean(worktreePath.slice(worktreePath.lastIndexOf('/') + 1))
}

/** One entry per agent, which is active if any of its sessions has a running turn. */
export function sessionsPerAgent(sessions: Session[], degraded: ReadonlySet<string>) {
  const groups = Map.groupBy(sessions, (session) => session.agentType || unknownText)
  return [...groups].map(([agent, group]) => {
    const shown = group.find(isActive) ?? group.toSorted((a, b) => started(b) - started(a))[0]
    return {
      agent,
      ...(shown?.model ? { model: shown.model } : {}),
      status: group.some(isActive) ? 'active' : 'idle',
      ...(group.some(({ id }) => degraded.has(id)) ? { capture_degraded: true } : {}),
    }
  })
}

export function unreadableText(count: number): string {
  return `${countOf(count, 'session state')} cannot be read · run 'entire doctor'`
}

function troubleText(session: Session, now: Date): string {
  const trouble = findTrouble(session, now)
  return trouble === undefined ? '' : `${trouble} (run 'entire doctor')`
}

// Left out when it would repeat the start.
function sinceText(session: Session, now: Date, separator: string): string {
  const [start, last] = [parseTime(session.startedAt), parseTime(session.lastInteraction)]
  return start && last && last.getTime() - start.getTime() > 60_000
    ? `${separator}active ${timeAgo(last, now)}`
    : ''
}

function withWord(first: string | undefined, second: string | undefined): string {
  return first === undefined || second === undefined ? '' : `${first} ${second}`
}

function joined(parts: string[]): string[] {
  const present = parts.filter((part) => part !== '')
  return present.length === 0 ? [] : [present.join(' · ')]
}

function started(session: Session): number {
  return parseTime(session.startedAt)?.getTime() ?? 0
}
