// One session in full, for people.
import type { Session } from '../../model/session.ts'
import type { TokenUsage } from '../../model/tokens.ts'
import { parseTime } from '../../std/time.ts'
import { findTrouble, promptOf, statusOf, unknown, worktreeLabel } from '../render/sessions.ts'
import { clean, cut } from '../render/text.ts'
import { localTime, timeAgo } from '../render/time.ts'
import { formatCount, tokensText } from '../render/tokens.ts'

const filesShown = 50

export function infoLines(session: Session, now: Date): string[] {
  const trouble = findTrouble(session, now)
  const prompt = promptOf(session)
  const total = tokensText(session.tokens)
  return [
    `Session ${clean(session.id)}`,
    '',
    ...fact('Agent', clean(session.agentType) || unknown),
    ...fact('Model', clean(session.model ?? '')),
    ...fact('Status', `${statusOf(session)}${trouble === undefined ? '' : `, ${trouble} (run 'entire doctor')`}`),
    ...fact('Worktree', worktreeText(session)),
    ...fact('Started', whenText(session.startedAt, now) ?? unknown),
    ...fact('Ended', whenText(session.endedAt, now)),
    ...fact('Last active', whenText(session.lastInteraction, now)),
    ...fact('Turns', String(session.turnCount)),
    ...fact('Checkpoints', String(session.stepCount)),
    ...fact('Checkpoint', clean(session.lastCheckpoint ?? '')),
    ...fact('Tokens', total),
    ...(session.tokens === undefined || total === undefined ? [] : [`  ${tokenParts(session.tokens)}`]),
    ...fact('Last prompt', prompt === undefined ? undefined : `"${cut(prompt, 100)}"`),
    ...fileLines(session.filesTouched),
  ]
}

function tokenParts(usage: TokenUsage): string {
  const parts = { Input: usage.input, 'Cache read': usage.cacheRead, 'Cache write': usage.cacheCreation, Output: usage.output }
  return Object.entries(parts)
    .map(([name, count]) => `${name}: ${formatCount(count)}`)
    .join(' · ')
}

function worktreeText(session: Session): string {
  const path = clean(session.worktreePath)
  return session.worktreeId === '' || path === '' ? path : `${worktreeLabel(session)} (${path})`
}

function whenText(text: string | undefined, now: Date): string | undefined {
  const time = parseTime(text)
  return time && `${localTime(time.toISOString()).slice(0, 16)} (${timeAgo(time, now)})`
}

function fileLines(files: string[]): string[] {
  if (files.length === 0) return []
  const more = files.length - filesShown
  return [
    `Files touched: (${files.length})`,
    ...files.slice(0, filesShown).map((path) => `  - ${clean(path)}`),
    ...(more > 0 ? [`  … and ${more} more (--json shows all)`] : []),
  ]
}

function fact(label: string, text: string | undefined): string[] {
  return text === undefined || text === '' ? [] : [`${label}:`.padEnd(13) + text]
}
