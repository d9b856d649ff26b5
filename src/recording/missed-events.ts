// Notes events that could not be recorded, because the lock was taken for too long or git failed, so that the
// next event of any session records them.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from '../git/repo.ts'
import type { AgentEvent, EventType } from '../model/event.ts'
import { isErrno } from '../std/errors.ts'
import { readText, removeFile, writeAtomic } from '../std/file.ts'
import { asNumber, asObject, asString, parseJson } from '../std/json.ts'

/** Without the others, nothing is lost: the end of the turn finds what changed. */
const noted: EventType[] = ['turn-end', 'subagent-end', 'session-end']

// An event that fails this often will never succeed.
const maxAttempts = 5

export interface MissedEvent {
  path: string
  /** The type of its agent. */
  agent: string
  event: AgentEvent
  attempts: number
}

/** False when the event needs no note. */
export function noteMissed(repo: Repo, agent: string, event: AgentEvent): boolean {
  if (!noted.includes(event.type)) return false
  const path = join(missedDir(repo), `${event.type}-${event.session}-${event.toolUse ?? ''}.json`)
  // The transcript that contains the message was awaited already.
  const { lastMessage: _, ...rest } = event
  writeNote({ path, agent, event: rest, attempts: 1 })
  return true
}

export function listMissed(repo: Repo): MissedEvent[] {
  return names(repo).flatMap((name) => parseNote(join(missedDir(repo), name)) ?? [])
}

/** Called after an attempt: it stays when the attempt failed, but not for ever. */
export function settleMissed(missed: MissedEvent, isRecorded: boolean): void {
  if (isRecorded || missed.attempts >= maxAttempts) removeFile(missed.path)
  else writeNote({ ...missed, attempts: missed.attempts + 1 })
}

function writeNote({ path, agent, event, attempts }: MissedEvent): void {
  writeAtomic(path, JSON.stringify({ agent, event, attempts }), { dirMode: 0o700 })
}

function parseNote(path: string): MissedEvent | undefined {
  const record = asObject(parseJson(readText(path) ?? ''))
  const event = asObject(record?.event)
  const agent = asString(record?.agent)
  const isEvent = noted.some((type) => type === event?.type) && typeof event?.session === 'string'
  if (agent === undefined || !isEvent) {
    removeFile(path)
    return undefined
  }
  return { path, agent, event: event as unknown as AgentEvent, attempts: asNumber(record?.attempts) ?? 1 }
}

function names(repo: Repo): string[] {
  try {
    return readdirSync(missedDir(repo)).filter((name) => name.endsWith('.json'))
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}

function missedDir(repo: Repo): string {
  return join(repo.gitDir, 'entire-missed')
}
