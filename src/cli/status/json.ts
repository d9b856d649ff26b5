// The status for programs: everything in one object, and an exit code of 0 whatever it says.
import type { Repo } from '../../git/repo.ts'
import { readWorktrees } from '../../git/worktrees.ts'
import type { Settings } from '../../model/settings.ts'
import type { JsonObject } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { readHookHealth } from '../hook-health.ts'
import { findTrouble, sessionsPerAgent } from '../render/sessions.ts'
import { sessionJson } from '../session/session-json.ts'
import { readDegraded } from './degraded.ts'
import { readOpenSessions } from './open-sessions.ts'
import { readSyncState, syncJson } from './sync-state.ts'

export async function statusJson(cli: Cli, repo: Repo, settings: Settings): Promise<JsonObject> {
  const now = cli.clock()
  const sync = await readSyncState(repo, settings, () => readWorktrees(repo))
  const { sessions, unreadable } = settings.enabled ? readOpenSessions(repo) : { sessions: [], unreadable: [] }
  const degraded = sessions.length > 0 ? readDegraded(repo) : new Set<string>()
  const hooks = await readHookHealth(cli, repo, settings)
  return {
    enabled: settings.enabled,
    strategy: settings.strategy,
    agents: hooks.agents.map((agent) => agent.type),
    active_sessions: sessionsPerAgent(sessions, degraded),
    sessions: sessions.map((session) => {
      const trouble = findTrouble(session, now)
      return {
        ...sessionJson(session),
        ...(trouble === undefined ? {} : { trouble }),
        ...(degraded.has(session.id) ? { capture_degraded: true } : {}),
      }
    }),
    ...(unreadable.length > 0 ? { unreadable_sessions: unreadable } : {}),
    ...(hooks.outdated.length > 0 ? { hooks_outdated: hooks.outdated.map((agent) => agent.type) } : {}),
    git_hooks: hooks.git,
    ...(await syncJson(sync)),
  }
}
