// Where Gemini CLI keeps its transcripts.
import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Env, SessionResumer } from '../../model/agent.ts'
import { exists, readText } from '../../std/file.ts'
import { asObject, parseJson } from '../../std/json.ts'
import { readFirstLine } from '../file-tail.ts'
import { text } from '../hook-table.ts'

export const geminiResume: SessionResumer = {
  sessionDir: (root, env) => env.ENTIRE_TEST_GEMINI_PROJECT_DIR || findChatsDir(root, env),
  sessionFile: (dir, session) => findSessionFile(dir, session) ?? join(dir, `${session}.json`),
  command: (session) => `gemini --resume ${session}`,
}

/** Subagents lie in a directory named by the full id of the session; the main file's name has only the beginning of it. */
export function subagentTranscript(mainTranscript: string, subagent: string): string {
  const header = asObject(parseJson(readFirstLine(mainTranscript, 4096) ?? ''))
  const session = text(header?.sessionId) ?? basename(mainTranscript).replace(/^.*-|\.jsonl?$/g, '')
  return join(dirname(mainTranscript), session, `${subagent}.jsonl`)
}

function findChatsDir(root: string, env: Env): string {
  const home = join(env.GEMINI_CLI_HOME || env.HOME || homedir(), '.gemini')
  const known = asObject(asObject(parseJson(readText(join(home, 'projects.json')) ?? ''))?.projects)
  return join(home, 'tmp', text(known?.[root]) ?? slugOf(root), 'chats')
}

function slugOf(root: string): string {
  return basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** A resume leaves a second, empty file behind; the names begin with the time, and the first one with an answer in it is the real one. */
function findSessionFile(dir: string, session: string): string | undefined {
  const ending = new RegExp(`-${session.slice(0, 8).replace(/[^A-Za-z0-9]/g, '\\$&')}\\.jsonl?$`)
  const files = exists(dir) ? readdirSync(dir).filter((file) => file.startsWith('session-') && ending.test(file)) : []
  const found = files.sort().find((file) => hasConversation(join(dir, file))) ?? files.at(-1)
  return found === undefined ? undefined : join(dir, found)
}

function hasConversation(path: string): boolean {
  return /"type":\s*"gemini"/.test(readText(path) ?? '')
}
