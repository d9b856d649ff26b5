// Lists the sessions of a repository by the first fields of their states: when each started, whether it ended,
// where it runs. That costs a fraction of reading whole states, with file lists and positions in transcripts.

import { closeSync, constants, openSync, readdirSync, readSync } from 'node:fs'
import type { Repo } from '../git/repo.ts'
import type { Session } from '../model/session.ts'
import { isErrno } from '../std/errors.ts'
import { fileSize, readText } from '../std/file.ts'
import { given } from '../std/given.ts'
import { asObject, asString, asTime, type JsonObject, parseJson } from '../std/json.ts'
import { parseTime } from '../std/time.ts'
import { parsePhase, parseSessionState } from './state-format.ts'
import { maxStateBytes, sessionsDir } from './store.ts'

export type SessionHead = Pick<
  Session,
  'id' | 'worktreePath' | 'worktreeId' | 'startedAt' | 'endedAt' | 'phase' | 'lastInteraction'
>

// Everything before this field is small, and both programs write it always.
const headEnd = ',\n  "checkpoint_count":'
const headBytes = 2048

export interface SessionHeads {
  /** Newest start first. */
  heads: SessionHead[]
  /** Ids of states that cannot be read; `entire doctor` deals with them. */
  unreadable: string[]
}

export function listSessionHeads(repo: Repo): SessionHeads {
  const block = Buffer.alloc(headBytes)
  const read = listStateIds(repo).map((id) => ({ id, head: readSessionHead(repo, id, block) }))
  const dated = read.flatMap(({ head }) =>
    head === undefined ? [] : [{ head, at: parseTime(head.startedAt)?.getTime() ?? 0 }],
  )
  return {
    heads: dated.sort((a, b) => b.at - a.at).map(({ head }) => head),
    unreadable: read.filter(({ head }) => head === undefined).map(({ id }) => id),
  }
}

/** Includes sessions whose state was unreadable and has been set aside. */
export function listStateIds(repo: Repo): string[] {
  const names = unlessAway(() => readdirSync(sessionsDir(repo))) ?? []
  return [...new Set(names.flatMap((name) => /^(.+)\.json(?:\.corrupt)?$/s.exec(name)?.[1] ?? []))].sort()
}

/** Reads the whole state. An unreadable one stays where it is: listing changes nothing. */
export function readState(repo: Repo, id: string): Session | undefined {
  return unlessAway(() => {
    const path = stateFile(repo, id)
    const session =
      (fileSize(path) ?? maxStateBytes) < maxStateBytes
        ? parseSessionState(parseJson(readText(path) ?? ''))
        : undefined
    // Every other command goes by the name of the file.
    return session?.id === id ? session : undefined
  })
}

/** When the session last reported an event, in milliseconds. */
export function lastSign({
  lastInteraction,
  startedAt,
}: Pick<Session, 'lastInteraction' | 'startedAt'>): number {
  return (parseTime(lastInteraction) ?? parseTime(startedAt))?.getTime() ?? 0
}

function readSessionHead(repo: Repo, id: string, block: Buffer): SessionHead | undefined {
  const text = unlessAway(() => readStart(stateFile(repo, id), block)) ?? ''
  const end = text.indexOf(headEnd)
  const record = end === -1 ? undefined : asObject(parseJson(`${text.slice(0, end)}}`))
  // Another program, or a person, wrote it: read it all.
  return record?.session_id === id ? describe(id, record) : readState(repo, id)
}

function describe(id: string, record: JsonObject): SessionHead {
  const endedAt = asTime(record.ended_at)
  const lastInteraction = asTime(record.last_interaction_time)
  return {
    id,
    worktreePath: asString(record.worktree_path) ?? '',
    worktreeId: asString(record.worktree_id) ?? '',
    startedAt: asTime(record.started_at) ?? '',
    ...given({ endedAt }),
    phase: parsePhase(record.phase),
    ...given({ lastInteraction }),
  }
}

// Non-blocking: opening a FIFO would wait for a writer.
function readStart(path: string, block: Buffer): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return block.toString('utf8', 0, readSync(fd, block))
  } finally {
    closeSync(fd)
  }
}

function stateFile(repo: Repo, id: string): string {
  return `${sessionsDir(repo)}/${id}.json`
}

function unlessAway<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (isErrno(error, 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EAGAIN')) return undefined
    throw error
  }
}
