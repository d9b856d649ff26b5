// Sessions that will not come to an end by themselves: their agent died in a turn, or they ended and no commit will take their steps.
import type { Session } from '../model/session.ts'
import { isActive } from '../model/session.ts'
import { findStat } from '../std/file.ts'
import { asNumber, asObject } from '../std/json.ts'
import { isAlive } from '../std/lock.ts'
import { parseTime } from '../std/time.ts'

const silentMs = 60 * 60 * 1000

/** Whether the agent of a running turn has given no sign of life for long. */
export function isStuck(session: Session, now: Date): boolean {
  return whyStuck(session, now) !== undefined
}

/** Why a turn counts as dead; undefined when none is running or it goes on. */
export function whyStuck(session: Session, now: Date): string | undefined {
  if (!isActive(session)) return undefined
  const pid = asNumber(asObject(session.extra.owner)?.pid)
  if (pid !== undefined && pid > 0 && !isAlive(pid)) return `agent process ${pid} exited (no longer running)`
  const last = parseTime(session.lastInteraction)
  // A long turn says nothing to us for hours, but its transcript grows.
  const spoke = session.transcriptPath === undefined ? undefined : findStat(session.transcriptPath)?.mtimeMs
  const quietMs = now.getTime() - Math.max(last?.getTime() ?? 0, spoke ?? 0)
  if (quietMs <= silentMs) return undefined
  return last === undefined
    ? 'active, no recorded interaction time'
    : `active, last interaction ${formatSpan(now.getTime() - last.getTime())} ago`
}

function formatSpan(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)}h${minutes % 60}m`
  return `${Math.floor(minutes / (24 * 60))}d`
}
