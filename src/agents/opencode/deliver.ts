// A session on its way back into OpenCode's database, which only ever adds to a session it has: one that went on differently has to go
// first, and the sessions of its subagents, which go with it, have to come back with it.
import type { DeliveredLog, ProjectContext } from '../../model/session-file.ts'
import { EntireError } from '../../std/errors.ts'
import { exists, readBytes, removeFile, writeAtomic } from '../../std/file.ts'
import { asArray, asObject, asString, parseJson } from '../../std/json.ts'
import { deleteSession, findSession, importSession, isSessionId } from './program.ts'
import { parseMessage } from './transcript.ts'

/** False: OpenCode could not be asked, or did not take it. Then it has what it had. */
export async function deliver(log: DeliveredLog, place: ProjectContext): Promise<boolean> {
  try {
    const there = readBytes(log.path)
    const wanted = new Set(idsIn(log.bytes))
    if (there !== undefined && idsIn(there).some((id) => !wanted.has(id))) await replace(log, there, place)
    else await importBytes(log.path, log.bytes, place)
  } catch (error) {
    if (error instanceof EntireError && error.code === 'agent-failed') return false
    throw error
  }
  writeAtomic(log.path, log.bytes)
  return true
}

async function replace(log: DeliveredLog, there: Buffer, place: ProjectContext): Promise<void> {
  const subagents = await findSubagents(there, place)
  await deleteSession(log.session, place)
  try {
    await importBytes(log.path, log.bytes, place)
  } catch (error) {
    await importBytes(log.path, there, place).catch(() => {
      throw new EntireError(
        'write-failed',
        `OpenCode took neither the stored session ${log.session} nor its own back.`,
        {
          hint: `Run \`opencode import ${log.path}\` to give it its own back.`,
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
    const subagent = await findSession(id, place)
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

// Named like any half-written file, so that what a killed process leaves is swept up.
function freePath(path: string): string {
  for (let number = 1; ; number += 1) {
    const free = path.replace(/(?:\.json)?$/, `.import-${number}.json.${process.pid}.tmp`)
    if (!exists(free)) return free
  }
}

function messagesIn(session: Buffer) {
  return asArray(asObject(parseJson(session.toString('utf8')))?.messages).map(parseMessage)
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

// A session that is in OpenCode's database, as a file beside: so that it can be compared with others, kept, and found.

export async function mirrorSession(session: string, path: string, place: ProjectContext): Promise<void> {
  if (!isSessionId(session)) return
  try {
    const there = await findSession(session, place)
    if (there === undefined) removeFile(path)
    // What is the same but for its writing stays as it was written.
    else if (outlineOf(readBytes(path)) !== outlineOf(there)) writeAtomic(path, there)
  } catch (error) {
    // An OpenCode that cannot be asked leaves the file what it is.
    if (!(error instanceof EntireError)) throw error
  }
}

function outlineOf(session: Buffer | undefined): string | undefined {
  if (session === undefined) return undefined
  const messages = asArray(asObject(parseJson(session.toString('utf8')))?.messages).map(parseMessage)
  return JSON.stringify(
    messages.map(({ id, info, parts }) => [id, asObject(info.time)?.completed, parts.map((part) => part.id)]),
  )
}
