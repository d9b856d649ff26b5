// Finds the transcripts of Gemini CLI: the directory of a project, and the file of a session in it.

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import type { LogOrigin, SessionResumer } from '../../model/agent.ts'
import type { Environment } from '../../std/environment.ts'
import { exists, readText } from '../../std/file.ts'
import { asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { parseTime } from '../../std/time.ts'
import { readFirstLine } from '../shared/file-tail.ts'
import { asText } from '../shared/hook-table.ts'

export const geminiResume: SessionResumer = {
  sessionDir: (root, env) => env.ENTIRE_TEST_GEMINI_PROJECT_DIR || findChatsDir(root, env),
  sessionFile: (dir, session, origin) => findSessionFile(dir, session) ?? join(dir, newName(session, origin)),
  command: (session) => `gemini --resume ${session}`,
  claim: claimChatsDir,
}

/**
 * In a directory with the full id of the session; the name of the main file has only the beginning of the id.
 */
export function geminiSubagentTranscript(mainTranscript: string, subagent: string): string {
  const header = asObject(parseJson(readFirstLine(mainTranscript, 4096) ?? ''))
  const session = asText(header?.sessionId) ?? basename(mainTranscript).replace(/^.*-|\.jsonl?$/g, '')
  return join(dirname(mainTranscript), session, `${subagent}.jsonl`)
}

/** Gemini CLI finds only names of this form when it resumes; the ending tells lines from a document. */
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

/**
 * The first file with an answer in it, in the order of names, which begin with the time: a resume leaves a
 * second, empty file behind.
 */
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

// The file in which a directory of Gemini CLI names the project it belongs to.
const ownerFile = '.project_root'

/** The directory that Gemini CLI recorded for the project, else the one it would choose at its next start. */
export function findChatsDir(root: string, env: Environment): string {
  const home = join(env.GEMINI_CLI_HOME || env.HOME || homedir(), '.gemini')
  const known = asObject(asObject(parseJson(readText(join(home, 'projects.json')) ?? ''))?.projects) ?? {}
  const tmp = join(home, 'tmp')
  return join(
    tmp,
    findRecorded(tmp, known, root) ??
      findOwned(tmp, root) ??
      findHashed(tmp, root) ??
      chooseName(tmp, known, root),
    'chats',
  )
}

/**
 * Marks the directory as the project's, as Gemini CLI does, so that no other project of the same name gets
 * it.
 */
export function claimChatsDir(dir: string, root: string): void {
  if (basename(dir) !== 'chats' || basename(dirname(dirname(dir))) !== 'tmp') return
  try {
    mkdirSync(dirname(dir), { recursive: true, mode: 0o700 })
    writeFileSync(join(dirname(dir), ownerFile), root, { flag: 'wx' })
  } catch {
    // Already claimed; any other problem with the directory shows when the session is written.
  }
}

function findRecorded(tmp: string, known: JsonObject, root: string): string | undefined {
  const name = asText(known[root])
  return name !== undefined && isPlain(name) && isFree(tmp, name, root) ? name : undefined
}

function findOwned(tmp: string, root: string): string | undefined {
  return exists(tmp) ? readdirSync(tmp).find((name) => ownerOf(tmp, name) === root) : undefined
}

// Older versions used a hash of the path in place of a name.
function findHashed(tmp: string, root: string): string | undefined {
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
  const path = readText(join(tmp, name, ownerFile))?.trim()
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
