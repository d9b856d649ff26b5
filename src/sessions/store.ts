// Reads and writes session state files in the shared git directory. state-format.ts defines their format.

import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from '../git/repo.ts'
import type { Session } from '../model/session.ts'
import { invalidValue, isErrno } from '../std/errors.ts'
import { fileSize, readText, type StagedFile, stageFile, stageFiles } from '../std/file.ts'
import { formatJson, parseJson } from '../std/json.ts'
import { formatSessionState, parseSessionState } from './state-format.ts'

// A state of a long session has some hundred kilobytes.
export const maxStateBytes = 64 * 1024 * 1024

export function sessionsDir(repo: Repo): string {
  return join(repo.commonDir, 'entire-sessions')
}

/** Session ids become file names and path elements of trees. */
export function checkSessionId(id: string): void {
  if (!isSessionId(id)) {
    throw invalidValue(
      JSON.stringify(id).slice(1, -1),
      'a session id',
      'Session ids must not contain slashes or "..".',
      'bad-id',
    )
  }
}

function isSessionId(id: string): boolean {
  return (
    id !== '' &&
    id.length <= 200 &&
    !/[/\\\0\n\r]/.test(id) &&
    id !== '.' &&
    !id.includes('..') &&
    !id.startsWith('-')
  )
}

export function readSession(repo: Repo, id: string): Session | undefined {
  const path = stateFile(repo, id)
  const size = fileSize(path)
  if (size === undefined) return undefined
  const session = parseState(path, size, id)
  if (session === undefined) setAside(path)
  return session
}

/** For reading only: undefined for what cannot be an id, and an unreadable state stays where it is. */
export function findSessionState(repo: Repo, id: string): Session | undefined {
  const size = isSessionId(id) ? fileSize(stateFile(repo, id)) : undefined
  return size === undefined ? undefined : parseState(stateFile(repo, id), size, id)
}

// A state counts only for the session that its file is named after.
function parseState(path: string, size: number, id: string): Session | undefined {
  const session = size > maxStateBytes ? undefined : parseSessionState(parseJson(readText(path) ?? ''))
  return session?.id === id ? session : undefined
}

// An unreadable state is set aside, not deleted: it may be all that is left of a session.
function setAside(path: string): void {
  try {
    renameSync(path, corruptFile(path))
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'EACCES', 'EPERM', 'EROFS')) throw error
  }
}

export function writeSession(repo: Repo, session: Session): void {
  using staged = stageSession(repo, session)
  staged.place()
}

export function stageSession(repo: Repo, session: Session): StagedFile {
  return stageFile(stateFile(repo, session.id), formatJson(formatSessionState(session)), {
    mode: 0o600,
    sync: true,
  })
}

/** Writes many states at once, which the disk syncs together. A single one needs no other threads. */
export async function stageSessions(repo: Repo, sessions: Session[]): Promise<StagedFile[]> {
  if (sessions.length === 1) return sessions.map((session) => stageSession(repo, session))
  return await stageFiles(
    sessions.map((session) => ({
      path: stateFile(repo, session.id),
      content: formatJson(formatSessionState(session)),
    })),
  )
}

/** Includes sessions whose state is unreadable: their next event recovers what can be known of them. */
export function listSessionIds(repo: Repo): Set<string> {
  return new Set(stateNames(repo).map((name) => name.replace(/\.json(?:\.corrupt)?$/, '')))
}

/** Every readable session of all work trees. */
export function listSessions(repo: Repo): Session[] {
  const ids = stateNames(repo).flatMap((name) =>
    name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : [],
  )
  return ids.filter(isSessionId).flatMap((id) => {
    const path = stateFile(repo, id)
    return parseState(path, fileSize(path) ?? 0, id) ?? []
  })
}

function stateNames(repo: Repo): string[] {
  try {
    return readdirSync(sessionsDir(repo))
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
}

function corruptFile(state: string): string {
  return `${state}.corrupt`
}

function stateFile(repo: Repo, id: string): string {
  checkSessionId(id)
  return join(sessionsDir(repo), `${id}.json`)
}
