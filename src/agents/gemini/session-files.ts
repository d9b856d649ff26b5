// Where Gemini CLI keeps its transcripts.
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { LogOrigin, SessionResumer } from '../../model/agent.ts'
import { exists, readText } from '../../std/file.ts'
import { asObject, parseJson } from '../../std/json.ts'
import { parseTime } from '../../std/time.ts'
import { readFirstLine } from '../file-tail.ts'
import { text } from '../hook-table.ts'
import { claimChatsDir, findChatsDir } from './chats-dir.ts'

export const geminiResume: SessionResumer = {
  sessionDir: (root, env) => env.ENTIRE_TEST_GEMINI_PROJECT_DIR || findChatsDir(root, env),
  sessionFile: (dir, session, origin) => findSessionFile(dir, session) ?? join(dir, newName(session, origin)),
  command: (session) => `gemini --resume ${session}`,
  claim: claimChatsDir,
}

/** Subagents lie in a directory named by the full id of the session; the main file's name has only the beginning of it. */
export function subagentTranscript(mainTranscript: string, subagent: string): string {
  const header = asObject(parseJson(readFirstLine(mainTranscript, 4096) ?? ''))
  const session = text(header?.sessionId) ?? basename(mainTranscript).replace(/^.*-|\.jsonl?$/g, '')
  return join(dirname(mainTranscript), session, `${subagent}.jsonl`)
}

/** Only names of this form are looked at when a session is resumed; the ending tells lines from a document. */
function newName(session: string, origin: LogOrigin | undefined): string {
  if (origin === undefined) return `${session}.json`
  const { name = '', startedAt, shape } = origin
  const short = session.slice(0, 8)
  const ending = shape === 'document' ? 'json' : 'jsonl'
  if (/^session-[0-9T-]+-/.test(name) && name.endsWith(`-${short}.${ending}`) && !/[/\\]/.test(name)) return name
  const minute = (parseTime(startedAt) ?? new Date(0)).toISOString().slice(0, 16).replace(':', '-')
  return `session-${minute}-${short}.${ending}`
}

/** A resume leaves a second, empty file behind; the names begin with the time, and the first one with an answer in it is the real one. */
function findSessionFile(dir: string, session: string): string | undefined {
  const ending = new RegExp(`-${session.slice(0, 8).replace(/[^A-Za-z0-9]/g, '\\$&')}\\.jsonl?$`)
  const names = exists(dir) ? readdirSync(dir).filter((file) => file.startsWith('session-') && ending.test(file)) : []
  const files = names.sort().map((name) => ({ path: join(dir, name), content: readText(join(dir, name)) ?? '' }))
  // Names have only the beginning of the id, which two sessions may share.
  const own = files.filter(({ content }) => (/"sessionId":\s*"([^"]*)"/.exec(content)?.[1] ?? session) === session)
  return (own.find(({ content }) => /"type":\s*"gemini"/.test(content)) ?? own.at(-1))?.path
}
