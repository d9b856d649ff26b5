// Session state files in the shared git directory, compatible field by field with the reference program.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from '../git/repo.ts'
import type { Session } from '../model/session.ts'
import { EntireError, isErrno } from '../std/errors.ts'
import { readText, removeFile, writeAtomic } from '../std/file.ts'
import { formatJson, parseJson } from '../std/json.ts'
import { formatSession, parseSession } from './state-record.ts'

export function sessionsDir(repo: Repo): string {
  return join(repo.commonDir, 'entire-sessions')
}

/** Session ids become file names and path elements of trees. */
export function checkSessionId(id: string): void {
  if (id === '' || id.length > 200 || /[/\\\0\n\r]/.test(id) || id === '.' || id.includes('..') || id.startsWith('-')) {
    throw new EntireError('bad-id', `${JSON.stringify(id)} is not a valid session id.`, {
      hint: 'Session ids must not contain slashes or "..".',
    })
  }
}

export function readSession(repo: Repo, id: string): Session | undefined {
  const text = readText(stateFile(repo, id))
  if (text === undefined) return undefined
  const session = parseSession(parseJson(text))
  // Garbage is moved aside, not deleted: it may be all that is left of a session.
  if (session === undefined) writeAtomic(`${stateFile(repo, id)}.corrupt`, text)
  return session
}

export function writeSession(repo: Repo, session: Session): void {
  writeAtomic(stateFile(repo, session.id), formatJson(formatSession(session)), { mode: 0o600, sync: true })
}

export function removeSession(repo: Repo, id: string): void {
  removeFile(stateFile(repo, id))
}

/** Every readable session of all work trees. */
export function listSessions(repo: Repo): Session[] {
  let names: string[]
  try {
    names = readdirSync(sessionsDir(repo))
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => parseSession(parseJson(readText(join(sessionsDir(repo), name)) ?? '')) ?? [])
}

function stateFile(repo: Repo, id: string): string {
  checkSessionId(id)
  return join(sessionsDir(repo), `${id}.json`)
}
