// A session that is in OpenCode's database, as a file beside: so that it can be compared with others, kept, and found.
import type { AgentPlace } from '../../model/session-file.ts'
import { EntireError } from '../../std/errors.ts'
import { readBytes, removeFile, writeAtomic } from '../../std/file.ts'
import { asArray, asObject, parseJson } from '../../std/json.ts'
import { parseMessage } from './message.ts'
import { findSession } from './program.ts'
import { isSessionId } from './session-place.ts'

export async function mirrorSession(session: string, path: string, place: AgentPlace): Promise<void> {
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
  return JSON.stringify(messages.map(({ id, info, parts }) => [id, asObject(info.time)?.completed, parts.map((part) => part.id)]))
}
