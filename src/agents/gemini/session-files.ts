// Where Gemini CLI keeps its transcripts.

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import type { Env, LogOrigin, SessionResumer } from '../../model/agent.ts'
import { exists, readText } from '../../std/file.ts'
import { asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { parseTime } from '../../std/time.ts'
import { readFirstLine } from '../shared/file-tail.ts'
import { asText } from '../shared/hook-table.ts'

// Which of Gemini CLI's directories is a project's: the one it noted, else the one it would choose at its next start.

const owner = '.project_root'

export function findChatsDir(root: string, env: Env): string {
  const home = join(env.GEMINI_CLI_HOME || env.HOME || homedir(), '.gemini')
  const known = asObject(asObject(parseJson(readText(join(home, 'projects.json')) ?? ''))?.projects) ?? {}
  const tmp = join(home, 'tmp')
  return join(
    tmp,
    findNoted(tmp, known, root) ??
      findOwned(tmp, root) ??
      findOlder(tmp, root) ??
      chooseName(tmp, known, root),
    'chats',
  )
}

/** As the agent does when it takes a directory: from then on it is the project's, whoever else has a project of that name. */
export function claimChatsDir(dir: string, root: string): void {
  if (basename(dir) !== 'chats' || basename(dirname(dirname(dir))) !== 'tmp') return
  try {
    mkdirSync(dirname(dir), { recursive: true, mode: 0o700 })
    writeFileSync(join(dirname(dir), owner), root, { flag: 'wx' })
  } catch {
    // Taken already; and whatever else is wrong with the directory, writing the session tells.
  }
}

function findNoted(tmp: string, known: JsonObject, root: string): string | undefined {
  const name = asText(known[root])
  return name !== undefined && isPlain(name) && isFree(tmp, name, root) ? name : undefined
}

function findOwned(tmp: string, root: string): string | undefined {
  return exists(tmp) ? readdirSync(tmp).find((name) => ownerOf(tmp, name) === root) : undefined
}

// Versions before the one with names used a hash of the path.
function findOlder(tmp: string, root: string): string | undefined {
  const hash = new Bun.CryptoHasher('sha256').update(root).digest('hex')
  return exists(join(tmp, hash, 'chats')) ? hash : undefined
}

function chooseName(tmp: string, known: JsonObject, root: string): string {
  const taken = new Set(Object.values(known))
  const slug = slugOf(root)
  for (let number = 0; ; number += 1) {
    const name = number === 0 ? slug : `${slug}-${number}`
    if (!taken.has(name) && isFree(tmp, name, root)) return name
  }
}

function isFree(tmp: string, name: string, root: string): boolean {
  const owned = ownerOf(tmp, name)
  return owned === undefined || owned === root
}

function ownerOf(tmp: string, name: string): string | undefined {
  const path = readText(join(tmp, name, owner))?.trim()
  return path === undefined ? undefined : resolve(path)
}

function isPlain(name: string): boolean {
  return !/[/\\]/.test(name) && name !== '.' && name !== '..'
}

function slugOf(root: string): string {
  const slug = basename(root)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return slug || 'project'
}

export const geminiResume: SessionResumer = {
  sessionDir: (root, env) => env.ENTIRE_TEST_GEMINI_PROJECT_DIR || findChatsDir(root, env),
  sessionFile: (dir, session, origin) => findSessionFile(dir, session) ?? join(dir, newName(session, origin)),
  command: (session) => `gemini --resume ${session}`,
  claim: claimChatsDir,
}

/** Subagents lie in a directory named by the full id of the session; the main file's name has only the beginning of it. */
export function subagentTranscript(mainTranscript: string, subagent: string): string {
  const header = asObject(parseJson(readFirstLine(mainTranscript, 4096) ?? ''))
  const session = asText(header?.sessionId) ?? basename(mainTranscript).replace(/^.*-|\.jsonl?$/g, '')
  return join(dirname(mainTranscript), session, `${subagent}.jsonl`)
}

/** Only names of this form are looked at when a session is resumed; the ending tells lines from a document. */
function newName(session: string, origin: LogOrigin | undefined): string {
  if (origin === undefined) return `${session}.json`
  const { name = '', startedAt, shape } = origin
  const short = session.slice(0, 8)
  const ending = shape === 'document' ? 'json' : 'jsonl'
  if (/^session-[0-9T-]+-/.test(name) && name.endsWith(`-${short}.${ending}`) && !/[/\\]/.test(name))
    return name
  const minute = (parseTime(startedAt) ?? new Date(0)).toISOString().slice(0, 16).replace(':', '-')
  return `session-${minute}-${short}.${ending}`
}

/** A resume leaves a second, empty file behind; the names begin with the time, and the first one with an answer in it is the real one. */
function findSessionFile(dir: string, session: string): string | undefined {
  const ending = new RegExp(`-${session.slice(0, 8).replace(/[^A-Za-z0-9]/g, '\\$&')}\\.jsonl?$`)
  const names = exists(dir)
    ? readdirSync(dir).filter((file) => file.startsWith('session-') && ending.test(file))
    : []
  const files = names
    .sort()
    .map((name) => ({ path: join(dir, name), content: readText(join(dir, name)) ?? '' }))
  // Names have only the beginning of the id, which two sessions may share.
  const own = files.filter(
    ({ content }) => (/"sessionId":\s*"([^"]*)"/.exec(content)?.[1] ?? session) === session,
  )
  return (own.find(({ content }) => /"type":\s*"gemini"/.test(content)) ?? own.at(-1))?.path
}
