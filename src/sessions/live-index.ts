// Keeps the index of live sessions: those of a work tree that may have a part in the next commit, in one
// small file, so that a commit never reads the states of the others. It is rebuilt from the states when
// missing or unreadable.

import { join } from 'node:path'
import type { StepMemory } from '../checkpoints/step.ts'
import type { Repo } from '../git/repo.ts'
import { isActive, type Session } from '../model/session.ts'
import { findStat, readText, type StagedFile, stageFile } from '../std/file.ts'
import { given } from '../std/given.ts'
import { asNumber, asObject, asString, asStrings, type JsonObject, parseJson } from '../std/json.ts'
import { type LiveSession, liveFile, parseLive } from './live-peek.ts'
import { findSessionState, listSessionIds, listSessions, sessionsDir } from './store.ts'

export interface LiveIndex {
  sessions: Map<string, LiveSession>
  /** The last commit that got a checkpoint, so that amending it keeps the link. */
  lastLink?: { commit: string; checkpoint: string }
  /** The last step of any session here: what has not changed since need not be read again. */
  lastStep?: StepMemory
  /** How far the reflog of HEAD has been read: the commits up to there are linked, or stay without a link. */
  headLog?: number
}

export function readLive(repo: Repo): LiveIndex {
  const record = asObject(parseJson(readText(liveFile(repo)) ?? ''))
  const sessions = asObject(record?.sessions)
  if (record === undefined || sessions === undefined || !Object.values(sessions).every(isEntry))
    return rebuild(repo)
  const link = asObject(record.last_link)
  const [commit, checkpoint] = [asString(link?.commit), asString(link?.checkpoint)]
  const lastStep = parseStep(asObject(record.last_step))
  const headLog = asNumber(record.head_log)
  // The entry of a deleted state is dropped, or its branch would be kept forever.
  const known = listSessionIds(repo)
  const entries = Object.entries(sessions).filter(([id]) => known.has(id))
  const index: LiveIndex = {
    sessions: new Map(entries.map(([id, entry]) => [id, parseLive(asObject(entry) ?? {})])),
    ...(commit === undefined || checkpoint === undefined ? {} : { lastLink: { commit, checkpoint } }),
    ...given({ lastStep, headLog }),
  }
  return withForeign(repo, index, known)
}

/**
 * Other programs record in the same repository and know nothing of the index: states that were written after it
 * are read. This program writes the index last, so that for its own states one look at the directory is enough.
 */
function withForeign(repo: Repo, index: LiveIndex, ids: Set<string>): LiveIndex {
  // Not mtime: files are written under temporary names first, in another order.
  const placed = findStat(liveFile(repo))?.ctimeMs ?? 0
  const isNewer = (path: string) => (findStat(path)?.ctimeMs ?? 0) > placed
  if (!isNewer(sessionsDir(repo))) return index
  for (const id of ids) {
    if (!isNewer(join(sessionsDir(repo), `${id}.json`))) continue
    const session = findSessionState(repo, id)
    if (session !== undefined && session.worktreePath === repo.root) updateLive(index, session)
  }
  return index
}

/** True when no other session of the work tree has a running turn. */
export function isOnlyTurn({ sessions }: Pick<LiveIndex, 'sessions'>, id: string): boolean {
  return [...sessions].every(([other, { active }]) => other === id || !active)
}

/**
 * Written before a state gains files and after it loses them: a surplus entry costs a read, a missing one a
 * link.
 */
export function writeLive(repo: Repo, index: LiveIndex): void {
  using staged = stageLive(repo, index)
  staged.place()
}

export function stageLive(repo: Repo, index: LiveIndex): StagedFile {
  const sessions = Object.fromEntries(
    [...index.sessions].map(([id, { active, files, base }]) => [id, { active, files, base }]),
  )
  return stageFile(
    liveFile(repo),
    JSON.stringify({
      sessions,
      last_link: index.lastLink,
      last_step: index.lastStep && formatStep(index.lastStep),
      head_log: index.headLog,
    }),
  )
}

export function updateLive(index: LiveIndex, session: Session): LiveIndex {
  if (isLive(session))
    index.sessions.set(session.id, {
      active: isActive(session),
      files: session.filesTouched,
      base: session.baseCommit,
    })
  else index.sessions.delete(session.id)
  return index
}

function isLive(session: Session): boolean {
  return isActive(session) || session.filesTouched.length > 0 || session.turnCheckpoints.length > 0
}

function rebuild(repo: Repo): LiveIndex {
  const index: LiveIndex = { sessions: new Map() }
  for (const session of listSessions(repo)) if (session.worktreePath === repo.root) updateLive(index, session)
  return index
}

function isEntry(value: unknown): boolean {
  const entry = asObject(value)
  return entry !== undefined && Array.isArray(entry.files) && typeof entry.base === 'string'
}

function formatStep({ leftOut, ...step }: StepMemory): object {
  return { ...step, ...(leftOut.length > 0 ? { left_out: leftOut } : {}) }
}

function parseStep(record: JsonObject | undefined): StepMemory | undefined {
  const [seconds, message, head] = [
    asNumber(record?.seconds),
    asString(record?.message),
    asString(record?.head),
  ]
  const files = asObject(record?.files)
  if (seconds === undefined || message === undefined || head === undefined || files === undefined)
    return undefined
  return {
    parent: asString(record?.parent),
    seconds,
    message,
    head,
    files: files as Record<string, string>,
    leftOut: asStrings(record?.left_out),
  }
}
