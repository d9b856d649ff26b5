// Finds the transcript of a session that no hook told us about, where its agent keeps such files.
import { closeSync, openSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Agent, SessionResumer } from '../model/agent.ts'
import { fileSize } from '../std/file.ts'
import { readRange } from '../std/file-range.ts'
import { formatTime, parseTime } from '../std/time.ts'
import { readLastTime } from './restore-time.ts'
import type { Recorder } from './work.ts'

export interface FoundTranscript {
  agent: Agent
  session: string
  path: string
}

/** `id` may be the beginning of one; one that is complete outranks others. `roots`: where the agent may have been started. */
export async function findTranscripts(
  { env }: Pick<Recorder, 'env'>,
  agents: Agent[],
  id: string,
  roots: string[],
): Promise<FoundTranscript[]> {
  const found: FoundTranscript[] = []
  for (const agent of agents) {
    const { resume } = agent
    if (resume === undefined) continue
    for (const dir of await placesOf(resume, env, roots)) found.push(...(await findIn(agent, resume, { dir, env, roots }, id)))
  }
  const exact = found.filter(({ session }) => session === id)
  const distinct = new Map((exact.length > 0 ? exact : found).map((each) => [`${each.agent.name} ${each.session}`, each]))
  return [...distinct.values()]
}

/** Directories in which agents keep their sessions of this repository. */
export async function placesOf(resume: SessionResumer, env: Recorder['env'], roots: string[]): Promise<string[]> {
  const dirs = [...new Set(await Promise.all(roots.map((root) => resume.sessionDir(root, env))))]
  // Started in a subdirectory, some agents make a directory whose name begins with that of the whole.
  const below = dirs.flatMap((dir) =>
    list(dirname(dir)).flatMap((name) => (name.startsWith(`${basename(dir)}-`) ? join(dirname(dir), name) : [])),
  )
  return [...new Set([...dirs, ...below])]
}

interface Search {
  dir: string
  env: Recorder['env']
  roots: string[]
}

async function findIn(agent: Agent, resume: SessionResumer, { dir, env, roots }: Search, id: string): Promise<FoundTranscript[]> {
  const path = await resume.sessionFile(dir, id)
  if (roots[0] !== undefined) await resume.mirror?.(id, path, { root: roots[0], env })
  // A file of all sessions is there for each of them, but may not have it.
  if (agent.sections !== undefined) return agent.sections.find(path, id) === undefined ? [] : [{ agent, session: id, path }]
  if (fileSize(path) !== undefined) return [{ agent, session: id, path }]
  // Names of files hold at least the beginning of an id.
  const names = list(dir).filter((name) => /\.jsonl?$/.test(name) && name.includes(id.slice(0, 8)))
  const ids = names.flatMap((name) => idsOf(join(dir, name)).find((session) => session.startsWith(id)) ?? [])
  const known = await Promise.all(
    [...new Set(ids)].map(async (session) => ({ agent, session, path: await resume.sessionFile(dir, session) })),
  )
  return known.filter((each) => fileSize(each.path) !== undefined)
}

// Some agents name the file by the id, some only by its beginning; then the file says it.
function idsOf(path: string): string[] {
  const stem = basename(path).replace(/\.jsonl?$/, '')
  const named = fileSize(path) === undefined ? undefined : /"sessionId"\s*:\s*"([A-Za-z0-9_-]+)"/.exec(readStart(path))?.[1]
  return [stem, ...(named === undefined ? [] : [named])]
}

/** When the conversation began and when its last word was said, as far as it says so. */
export function readSpan(path: string): { first?: string; last?: string } {
  const first = parseTime(/"(?:timestamp|startTime)"\s*:\s*"([^"]+)"/.exec(readStart(path))?.[1])
  const last = readLastTime(path)
  return { ...(first && { first: formatTime(first) }), ...(last && { last: formatTime(last) }) }
}

function readStart(path: string): string {
  const fd = openSync(path, 'r')
  try {
    return readRange(fd, 0, 64 * 1024).toString('utf8')
  } finally {
    closeSync(fd)
  }
}

function list(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}
