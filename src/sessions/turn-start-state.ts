// Keeps the state of the work tree at the start of a turn or of a subagent's task, which tells the agent's
// new files from the user's.

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { formatTokenRecord, parseTokenRecord } from '../checkpoints/record.ts'
import type { Repo } from '../git/repo.ts'
import type { TokenUsage } from '../model/tokens.ts'
import { findStat, readText, removeFile, writeAtomic } from '../std/file.ts'
import { given } from '../std/given.ts'
import { asNumber, asObject, asString, asStrings, formatJson, parseJson } from '../std/json.ts'
import { parseTime } from '../std/time.ts'
import { temporaryDir, temporaryDirs } from './places.ts'

export interface TurnStartState {
  /** When the turn began, in milliseconds. */
  at: number
  untracked: string[]
  deleted: string[]
  /** Signatures of the files that differed from HEAD; undefined when another version wrote the state. */
  dirty: Record<string, string> | undefined
  /** Transcript position, in lines or messages. */
  position: number
  /** The same position in bytes. */
  bytes: number
  lastId?: string
  /** The turn began with its session, before any prompt. */
  isProvisional?: boolean
  /** A commit whose tree is the work tree of then; undefined when it was saved as a step, which names the turn. */
  before?: string
  /** Files that another turn, which has ended, and this one may both have changed; none if there was no such turn. */
  shared?: string[]
  /** Usage so far, of agents that keep totals of it. */
  totals?: TokenUsage
  /** Of a task: the session it belongs to, and the steps made on its way. */
  session?: string
  increments?: number
}

export function writeTurnStart(repo: Repo, session: string, state: TurnStartState): void {
  writeState(repo, turnFile(session), {
    session_id: session,
    timestamp: new Date(state.at).toISOString(),
    untracked_files: state.untracked,
    deleted_files: state.deleted,
    dirty_files: state.dirty,
    last_transcript_identifier: state.lastId,
    step_transcript_start: state.position || undefined,
    transcript_offset: state.position || undefined,
    transcript_bytes: state.bytes || undefined,
    opened_by_session: state.isProvisional,
    before_commit: state.before,
    shared_files: state.shared,
    usage_totals: state.totals && formatTokenRecord(state.totals),
  })
}

export function readTurnStart(repo: Repo, session: string): TurnStartState | undefined {
  return readFirst(repo, turnFile(session))
}

export function removeTurnStart(repo: Repo, session: string): void {
  removeEverywhere(repo, turnFile(session))
}

export function writeTaskStart(repo: Repo, toolUse: string, state: TurnStartState): void {
  writeState(repo, taskFile(toolUse), {
    tool_use_id: toolUse,
    session_id: state.session,
    timestamp: new Date(state.at).toISOString(),
    untracked_files: state.untracked,
    deleted_files: state.deleted,
    dirty_files: state.dirty,
    increments: state.increments,
  })
}

export function readTaskStart(repo: Repo, toolUse: string): TurnStartState | undefined {
  return readFirst(repo, taskFile(toolUse))
}

export function removeTaskStart(repo: Repo, toolUse: string): void {
  removeEverywhere(repo, taskFile(toolUse))
}

/** For an agent that reports no end of a task once the turn has ended. */
export function removeTaskStarts(repo: Repo, session: string): void {
  for (const task of listTasks(repo))
    if (readTaskStart(repo, task)?.session === session) removeTaskStart(repo, task)
}

/** The task that began last: subagents nest, and the innermost one is working. */
export function findActiveTask(repo: Repo, session: string): string | undefined {
  // Other versions do not note the session of a task.
  const own = listTasks(repo).filter((task) => (readTaskStart(repo, task)?.session ?? session) === session)
  return own.map((task) => ({ task, at: startTimeOf(repo, task) ?? 0 })).sort((a, b) => b.at - a.at)[0]?.task
}

function startTimeOf(repo: Repo, task: string): number | undefined {
  const times = pathsOf(repo, taskFile(task)).flatMap((path) => findStat(path)?.mtimeMs ?? [])
  return times[0]
}

function listTasks(repo: Repo): string[] {
  const names = temporaryDirs(repo).flatMap((dir) => (existsSync(dir) ? readdirSync(dir) : []))
  return [...new Set(names.flatMap((name) => /^pre-task-(.+)\.json$/.exec(name)?.[1] ?? []))]
}

export function turnFile(session: string): string {
  return `pre-prompt-${session}.json`
}

function taskFile(toolUse: string): string {
  return `pre-task-${toolUse}.json`
}

/** Where a state may be: other versions write it into the work tree. */
function pathsOf(repo: Repo, name: string): string[] {
  return temporaryDirs(repo).map((dir) => join(dir, name))
}

function writeState(repo: Repo, name: string, fields: object): void {
  writeAtomic(join(temporaryDir(repo), name), formatJson(fields))
}

function removeEverywhere(repo: Repo, name: string): void {
  for (const path of pathsOf(repo, name)) removeFile(path)
}

function readFirst(repo: Repo, name: string): TurnStartState | undefined {
  for (const path of pathsOf(repo, name)) {
    const state = readState(path)
    if (state !== undefined) return state
  }
  return undefined
}

function readState(path: string): TurnStartState | undefined {
  const record = asObject(parseJson(readText(path) ?? ''))
  if (record === undefined) return undefined
  const lastId = asString(record.last_transcript_identifier)
  const session = asString(record.session_id)
  const increments = asNumber(record.increments)
  const totals = parseTokenRecord(record.usage_totals)
  const before = asString(record.before_commit)
  return {
    at: parseTime(asString(record.timestamp))?.getTime() ?? 0,
    untracked: asStrings(record.untracked_files),
    deleted: asStrings(record.deleted_files),
    dirty: asObject(record.dirty_files) as Record<string, string> | undefined,
    position:
      asNumber(record.transcript_offset) ||
      asNumber(record.step_transcript_start) ||
      asNumber(record.start_message_index) ||
      asNumber(record.last_transcript_line_count) ||
      0,
    bytes: asNumber(record.transcript_bytes) ?? 0,
    ...given({ lastId }),
    ...given({ session }),
    ...given({ increments }),
    ...(record.opened_by_session === true ? { isProvisional: true } : {}),
    ...given({ totals }),
    ...given({ before }),
    ...(record.shared_files === undefined ? {} : { shared: asStrings(record.shared_files) }),
  }
}
