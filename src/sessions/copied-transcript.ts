// Finds the part of a transcript that was copied from other recorded sessions: a fork begins with the conversation it
// continues, which was counted there. Nothing marks the copy, but its entries keep their ids.

import { closeSync } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from '../git/repo.ts'
import type { TranscriptFormat } from '../model/agent.ts'
import type { Session } from '../model/session.ts'
import { fileSize, findStat, openRegular, readBytes, readRange } from '../std/file.ts'
import { parseTime } from '../std/time.ts'
import type { EventWork } from './event-work.ts'
import { findSessionState, listSessionIds, sessionsDir } from './store.ts'

// A conversation is forked while it is fresh.
const mostSessions = 64
const mostBytes = 64 * 1024 * 1024
const mostBytesInAll = 256 * 1024 * 1024
// The first answer comes after a system prompt of some ten kilobytes.
const headBytes = 1024 * 1024

export interface CopiedPart {
  bytes: number
  items: number
}

type Identify = NonNullable<TranscriptFormat['identify']>

/** Undefined when nothing was copied. Other sessions are looked at only where an answer is older than the session. */
export function findCopiedPart(
  { recorder: { repo }, session }: Pick<EventWork, 'recorder' | 'session'>,
  path: string,
  identify: Identify,
): CopiedPart | undefined {
  const answer = findFirstAnswer(path, identify)
  if (answer === undefined || !isOlder(answer.at, session)) return undefined
  const known = new Set<string>()
  let left = mostBytesInAll
  for (const other of recentSessions(repo, session.id)) {
    const origin = findSessionState(repo, other)
    if (origin?.agentType !== session.agentType || origin.transcriptPath === undefined) continue
    left -= fileSize(origin.transcriptPath) ?? 0
    if (left < 0) break
    const content = readWhole(origin.transcriptPath)
    if (!content?.includes(answer.id)) continue
    for (const line of linesOf(content)) for (const id of identify(line)?.ids ?? []) known.add(id)
  }
  const lines = known.size === 0 ? [] : linesOf(readWhole(path))
  const copied = lines.slice(
    0,
    lines.findLastIndex((line) => identify(line)?.ids.some((id) => known.has(id))) + 1,
  )
  if (copied.length === 0) return undefined
  return { bytes: copied.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0), items: copied.length }
}

function findFirstAnswer(path: string, identify: Identify): { id: string; at: string } | undefined {
  for (const line of linesOf(readHead(path))) {
    const { ids = [], answeredAt: at } = identify(line) ?? {}
    const id = ids.at(-1)
    if (id !== undefined && at !== undefined) return { id, at }
  }
  return undefined
}

function readHead(path: string): Buffer | undefined {
  if (fileSize(path) === undefined) return undefined
  const fd = openRegular(path)
  try {
    return readRange(fd, 0, headBytes)
  } finally {
    closeSync(fd)
  }
}

function isOlder(at: string, { startedAt }: Session): boolean {
  const [answered, started] = [parseTime(at), parseTime(startedAt)]
  return answered !== undefined && started !== undefined && answered < started
}

/** The ids of other sessions, the one that changed last first. */
function recentSessions(repo: Repo, own: string): string[] {
  return [...listSessionIds(repo)]
    .filter((id) => id !== own)
    .map((id) => ({ id, at: findStat(join(sessionsDir(repo), `${id}.json`))?.mtimeMs ?? 0 }))
    .sort((a, b) => b.at - a.at)
    .slice(0, mostSessions)
    .map(({ id }) => id)
}

function readWhole(path: string): Buffer | undefined {
  return (fileSize(path) ?? mostBytes) < mostBytes ? readBytes(path) : undefined
}

function linesOf(content: Buffer | undefined): string[] {
  return content?.toString('utf8').split('\n') ?? []
}
