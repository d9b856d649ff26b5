// Whether the hooks that recording depends on are there, and are those of this version.
import { readConfig } from '../git/config.ts'
import { hooksInstalled } from '../git/hooks.ts'
import type { Repo } from '../git/repo.ts'
import type { Agent } from '../model/agent.ts'
import type { Settings } from '../model/settings.ts'
import type { Cli } from './context.ts'
import { hookCommand } from './program.ts'
import { findInstalledAgents, findWatchedAgents, type HookedAgent, hookSite } from './setup.ts'

export interface HookHealth {
  agents: HookedAgent[]
  /** Used here, and recorded by `entire watch`. */
  watched: Agent[]
  outdated: HookedAgent[]
  git: 'all' | 'outdated' | 'missing'
}

export async function readHookHealth(cli: Cli, repo: Repo, settings: Settings): Promise<HookHealth> {
  const command = hookCommand(settings, cli.program)
  const [agents, watched, { hooksDir }] = await Promise.all([findInstalledAgents(repo), findWatchedAgents(repo), readConfig(repo)])
  const current = await Promise.all(agents.map((agent) => agent.installer.current(hookSite(repo), { command })))
  return { agents, watched, outdated: agents.filter((_, index) => !current[index]), git: hooksInstalled(hooksDir, { command }) }
}

export function isHealthy(health: HookHealth): boolean {
  return health.agents.length + health.watched.length > 0 && health.outdated.length === 0 && health.git === 'all'
}
