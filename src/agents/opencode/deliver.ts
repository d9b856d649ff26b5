// Delivers a session to OpenCode's database, and mirrors one from there in a file. An import only adds to an
// existing session: one that continued differently is deleted first, and the sessions of its subagents, which
// are deleted with it, are imported again.

import type { DeliveredLog, ProjectContext } from '../../model/session-file.ts'
import { EntireError } from '../../std/errors.ts'
import { exists, readBytes, removeFile, writeAtomic } from '../../std/file.ts'
import { asArray, asObject, asString, parseJson } from '../../std/json.ts'
import { deleteSession, findExport, importSession } from './program.ts'
import { parseOpencodeMessage } from './transcript.ts'

/** False when OpenCode could not be asked or refused the session. OpenCode then has what it had. */
export async function deliverSession(log: DeliveredLog, place: ProjectContext): Promise<boolean> {
  try {
    const existing = readBytes(log.path)
    const wanted = new Set(idsIn(log.bytes))
    if (existing !== undefined && idsIn(existing).some((id) => !wanted.has(id)))
      await replace(log, existing, place)
    else await importBytes(log.path, log.bytes, place)
  } catch (error) {
    if (error instanceof EntireError && error.code === 'agent-failed') return false
    throw error
  }
  writeAtomic(log.path, log.bytes)
  return true
}

async function replace(log: DeliveredLog, existing: Buffer, place: ProjectContext): Promise<void> {
  const subagents = await findSubagents(existing, place)
  await deleteSession(log.session, place)
  try {
    await importBytes(log.path, log.bytes, place)
  } catch (error) {
    await importBytes(log.path, existing, place).catch(() => {
      throw new EntireError(
        'write-failed',
        `OpenCode accepted neither the stored session ${log.session} nor its own session again.`,
        {
          hint: `Run \`opencode import ${log.path}\` to restore its own session.`,
          cause: error,
        },
      )
    })
    throw error
  } finally {
    for (const subagent of subagents) await importBytes(log.path, subagent, place).catch(() => {})
  }
}

async function findSubagents(session: Buffer, place: ProjectContext): Promise<Buffer[]> {
  const found: Buffer[] = []
  for (const id of tasksIn(session)) {
    const subagent = await findExport(id, place)
    if (subagent !== undefined) found.push(subagent, ...(await findSubagents(subagent, place)))
  }
  return found
}

async function importBytes(path: string, bytes: Buffer, place: ProjectContext): Promise<void> {
  const file = freePath(path)
  writeAtomic(file, bytes)
  try {
    await importSession(file, place)
  } finally {
    removeFile(file)
  }
}

// Named like any half-written file, so that the leftover of a killed process is removed later.
function freePath(path: string): string {
  for (let number = 1; ; number += 1) {
    const free = path.replace(/(?:\.json)?$/, `.import-${number}.json.${process.pid}.tmp`)
    if (!exists(free)) return free
  }
}

function messagesIn(session: Buffer) {
  return asArray(asObject(parseJson(session.toString('utf8')))?.messages).map(parseOpencodeMessage)
}

function idsIn(session: Buffer): string[] {
  return messagesIn(session).flatMap(({ id }) => id ?? [])
}

function tasksIn(session: Buffer): string[] {
  const states = messagesIn(session).flatMap(({ parts }) =>
    parts.flatMap(({ tool, state }) => (tool === 'task' ? (state ?? []) : [])),
  )
  const ids = states.flatMap((state) => asString(asObject(asObject(state)?.metadata)?.sessionId) ?? [])
  return [...new Set(ids)].filter(isSessionId)
}

/** Writes the session in OpenCode's database to a file, so that it can be compared, kept and found. */
export async function mirrorSession(session: string, path: string, place: ProjectContext): Promise<void> {
  if (!isSessionId(session)) return
  try {
    const exported = await findExport(session, place)
    if (exported === undefined) removeFile(path)
    // A file that differs only in its formatting stays.
    else if (outlineOf(readBytes(path)) !== outlineOf(exported)) writeAtomic(path, exported)
  } catch (error) {
    // When OpenCode cannot be asked, the file stays as it is.
    if (!(error instanceof EntireError)) throw error
  }
}

function outlineOf(session: Buffer | undefined): string | undefined {
  if (session === undefined) return undefined
  const messages = messagesIn(session)
  return JSON.stringify(
    messages.map(({ id, info, parts }) => [id, asObject(info.time)?.completed, parts.map((part) => part.id)]),
  )
}

/** Exporting takes long, so it is not tried for anything that cannot be an id. */
function isSessionId(id: string): boolean {
  return /^ses_\w+$/.test(id)
}
