// Finds sessions of agents in this work tree that no hook has reported: their transcripts grow, and nothing is
// recorded. Looks at the newest files only, and at a part of each.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { agents } from '../../agents/all.ts'
import { readLastLines, readStart } from '../../agents/shared/file-tail.ts'
import { findSessionId, startedIn } from '../../agents/shared/session-dir-watcher.ts'
import { findRepo, type Repo } from '../../git/repo.ts'
import type { Agent, SessionResumer } from '../../model/agent.ts'
import { isActive } from '../../model/session.ts'
import { lastSign, readState } from '../../sessions/list.ts'
import { logFiles } from '../../sessions/places.ts'
import { settingsPaths } from '../../settings/read.ts'
import { findStat } from '../../std/file.ts'
import type { Cli } from '../context.ts'

export interface UnreportedSession {
  agent: Agent
  session: string
  path: string
  /** When its last prompt or answer was written, in milliseconds. */
  at: number
}

type Known = Agent & { resume: SessionResumer }

interface SessionFile {
  dir: string
  path: string
  writtenAt: number
}

const dayMs = 24 * 60 * 60 * 1000
// The end of a turn is reported some time after its last line, and a file is written some time after its lines.
const slackMs = 3 * 60 * 1000
const mostEntries = 2000
const mostFiles = 20
const headBytes = 64 * 1024
const tailBytes = 64 * 1024
const logBytes = 256 * 1024

export async function findUnreported(cli: Cli, repo: Repo, hooked: Agent[]): Promise<UnreportedSession[]> {
  const found = await Promise.all(
    agents
      .filter((agent): agent is Known => hasSessionFiles(agent))
      .map(async (agent) => {
        const since = Math.max(cli.clock().getTime() - dayMs, recordedSince(repo, agent, hooked))
        const files = (await listDirs(agent, repo, cli)).flatMap((dir) => findRecent(dir, since))
        const newest = files.sort((a, b) => b.writtenAt - a.writtenAt).slice(0, mostFiles)
        return await Promise.all(newest.map((file) => inspect(repo, agent, file, since)))
      }),
  )
  return found.flat().flatMap((session) => session ?? [])
}

// Agents without hooks are recorded by `entire watch`; those that keep all sessions in one place have no files.
function hasSessionFiles({ resume, watcher, source, sections, executable, installer }: Agent): boolean {
  return (
    resume !== undefined &&
    installer !== undefined &&
    [watcher, source, sections, executable].every((part) => part === undefined)
  )
}

/** Sessions from before the hooks are not expected to be recorded. */
function recordedSince({ root }: Repo, agent: Agent, hooked: Agent[]): number {
  const timeOf = (path = '') => findStat(join(root, path))?.mtimeMs ?? Number.POSITIVE_INFINITY
  const setUp = Math.min(timeOf(settingsPaths.project), timeOf(settingsPaths.local))
  return hooked.includes(agent) ? Math.max(setUp, timeOf(agent.installer?.configPath)) : setUp
}

async function listDirs({ resume }: Known, { root }: Repo, { env }: Cli): Promise<string[]> {
  return [await resume.sessionDir(root, env), ...(resume.sessionDirsBelow?.(root, env) ?? [])]
}

/** Tells the user, who otherwise would not notice. */
export function describeUnreported(
  { agent, session }: UnreportedSession,
  hooked: Agent[],
): { message: string; fix: string } {
  return hooked.includes(agent)
    ? {
        message: `${agent.type} works here in session ${session}, but runs no hooks: it is not recorded.`,
        fix: `Start ${agent.type} again: it may have read its settings before the hooks were there. If that does not help, \`entire watch --agent ${agent.name}\` records it without hooks.`,
      }
    : {
        message: `${agent.type} works here in session ${session}, and has no hooks: it is not recorded.`,
        fix: `Run \`entire agent add ${agent.name}\`.`,
      }
}

/** Newest names first: agents that sort sessions by day name directories after it. */
function findRecent(top: string, since: number): SessionFile[] {
  const found: SessionFile[] = []
  let left = mostEntries
  const walk = (dir: string, depth: number) => {
    for (const entry of listEntries(dir)) {
      left -= 1
      if (left < 0) return
      const path = join(dir, entry.name)
      if (entry.isDirectory() && depth > 0) walk(path, depth - 1)
      if (!entry.isFile() || !entry.name.endsWith('.jsonl')) continue
      const writtenAt = findStat(path)?.mtimeMs ?? 0
      if (writtenAt > since) found.push({ dir: top, path, writtenAt })
    }
  }
  walk(top, 3)
  return found
}

function listEntries(dir: string) {
  try {
    return readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? 1 : -1))
  } catch {
    return []
  }
}

async function inspect(
  repo: Repo,
  agent: Known,
  file: SessionFile,
  since: number,
): Promise<UnreportedSession | undefined> {
  const head = readStart(file.path, headBytes) ?? ''
  const cwd = startedIn(head)
  if (cwd === undefined || findRepo(cwd, repo.env)?.root !== repo.root || agent.resume.isSubagent?.(head))
    return undefined
  const at = lastSaid(agent, readLastLines(file.path, tailBytes))
  // A transcript that `entire resume` has put there is much younger than its last line.
  if (at === undefined || at < since || file.writtenAt - at > slackMs) return undefined
  const session = await findSessionId(agent.resume, file.dir, file.path, head)
  if (session === undefined || isReported(repo, session, at)) return undefined
  return { agent, session, path: file.path, at }
}

function lastSaid({ transcript }: Agent, lines: string[]): number | undefined {
  for (const line of lines.toReversed()) {
    const at = Date.parse(/"timestamp"\s*:\s*"([^"]+)"/.exec(line)?.[1] ?? '')
    if (Number.isNaN(at)) continue
    const { prompts, summary, tokens } = transcript.readLines([line], undefined)
    if (prompts.length > 0 || summary !== undefined || tokens.calls > 0) return at
  }
  return undefined
}

function isReported(repo: Repo, session: string, at: number): boolean {
  const state = readState(repo, session)
  if (state !== undefined) return isActive(state) || at - lastSign(state) < slackMs
  // Its state may have been removed since.
  return logFiles(repo).some((log) => readLastLines(log, logBytes).some((line) => line.includes(session)))
}
