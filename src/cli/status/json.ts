// Writes the status as one JSON object. The exit code is 0 whatever it says.

import { closeSync } from 'node:fs'
import { readWorktrees } from '../../git/branches.ts'
import type { Repo } from '../../git/repo.ts'
import type { Settings } from '../../model/settings.ts'
import { logFile } from '../../sessions/places.ts'
import { fileSize, openRegular, readRange } from '../../std/file.ts'
import { given } from '../../std/given.ts'
import { asObject, asString, type JsonObject, parseJson } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { findTrouble, sessionsPerAgent } from '../render/sessions.ts'
import { sessionJson } from '../session/find-session.ts'
import { findObstacles, readHookHealth } from '../setup/health.ts'
import { readLeftOutFiles, readOpenSessions, readSyncState, syncJson } from './facts.ts'

export async function statusJson(cli: Cli, repo: Repo, settings: Settings): Promise<JsonObject> {
  const now = cli.clock()
  const sync = await readSyncState(repo, settings, () => readWorktrees(repo))
  const { sessions, unreadable } = settings.enabled
    ? readOpenSessions(repo)
    : { sessions: [], unreadable: [] }
  const degraded = sessions.length > 0 ? readDegraded(repo) : new Set<string>()
  const hooks = await readHookHealth(cli, repo, settings)
  const obstacles = settings.enabled ? await findObstacles(cli, repo, hooks) : []
  const leftOut = settings.enabled ? readLeftOutFiles(repo) : []
  return {
    enabled: settings.enabled,
    strategy: settings.strategy,
    agents: hooks.agents.map((agent) => agent.type),
    active_sessions: sessionsPerAgent(sessions, degraded),
    sessions: sessions.map((session) => {
      const trouble = findTrouble(session, now)
      return {
        ...sessionJson(session),
        ...given({ trouble }),
        ...(degraded.has(session.id) ? { capture_degraded: true } : {}),
      }
    }),
    ...(unreadable.length > 0 ? { unreadable_sessions: unreadable } : {}),
    ...(hooks.outdated.length > 0 ? { hooks_outdated: hooks.outdated.map((agent) => agent.type) } : {}),
    ...(hooks.problems.length > 0 ? { plugin_problems: hooks.problems } : {}),
    git_hooks: hooks.git,
    ...(obstacles.length > 0 ? { warnings: obstacles.map(({ message, fix }) => ({ message, fix })) } : {}),
    ...(leftOut.length > 0 ? { left_out: leftOut } : {}),
    ...(await syncJson(sync)),
  }
}

const tailBytes = 64 * 1024

/** The sessions whose last hook failed, according to the end of the log: parts of them may be missing. */
export function readDegraded(repo: Repo): Set<string> {
  const degraded = new Set<string>()
  for (const line of readTail(logFile(repo)).split('\n')) {
    const record = line.includes('"session_id"') ? asObject(parseJson(line)) : undefined
    const session = asString(record?.session_id)
    if (session === undefined) continue
    // A hook that succeeds also saves what earlier ones failed to save.
    if (record?.level === 'ERROR') degraded.add(session)
    else if (record?.ms !== undefined) degraded.delete(session)
  }
  return degraded
}

function readTail(path: string): string {
  const size = fileSize(path) ?? 0
  if (size === 0) return ''
  try {
    const fd = openRegular(path)
    try {
      return readRange(fd, Math.max(0, size - tailBytes), tailBytes).toString('utf8')
    } finally {
      closeSync(fd)
    }
  } catch {
    // Without a readable log no session counts as degraded.
    return ''
  }
}
