// Adds the external agents on the PATH to the built-in ones, if the settings of the repository allow it.

import { addAgents, agentCards, loadAgent } from '../agents/index.ts'
import type { Repo } from '../git/repo.ts'
import type { Agent } from '../model/agent.ts'
import { logFile, originalsDir } from '../sessions/places.ts'
import { isSetUp, readUsableSettings } from '../settings/read.ts'
import type { Environment } from '../std/environment.ts'
import { fileLog } from '../std/log.ts'
import { systemClock } from '../std/time.ts'
import { version } from '../std/version.ts'
import { clean } from './render/text.ts'
import { write } from './streams.ts'

export interface LoadOptions {
  /** Ignores the settings, because a person asked. */
  evenIfDisabled?: boolean
  /** Asks the plugins again instead of using the cache. */
  refresh?: boolean
  /** Whether a commit, another agent, or a person who only wants to look is waiting. */
  hurried?: boolean
}

export async function loadExternalAgents(
  repo: Repo,
  env: Environment,
  options: LoadOptions = {},
): Promise<void> {
  if (options.evenIfDisabled !== true && !allowsExternal(repo)) return
  const { listExternalAgents } = await import('../agents/external/discover.ts')
  addAgents(await listExternalAgents(await discoveryOptions(repo, env, options)))
}

/** Throws when the plugin cannot be used. */
export async function loadExternalAgent(
  repo: Repo,
  env: Environment,
  name: string,
  options: LoadOptions = {},
): Promise<Agent | undefined> {
  const known = await loadAgent(name)
  if (known !== undefined || (options.evenIfDisabled !== true && !allowsExternal(repo))) return known
  const { findExternalAgent } = await import('../agents/external/discover.ts')
  const found = await findExternalAgent(await discoveryOptions(repo, env, options), name)
  if (found !== undefined) addAgents([found])
  return found
}

// Commands report invalid settings themselves.
function allowsExternal(repo: Repo): boolean {
  return isSetUp(repo.root) && readUsableSettings(repo.root).settings.externalAgents
}

async function discoveryOptions(
  repo: Repo,
  env: Environment,
  { refresh = false, hurried = false }: LoadOptions,
) {
  const [{ limits }, { readHookedPlugins }] = await Promise.all([
    import('../protocol/external-agent/subcommand.ts'),
    import('../agents/external/hooked-plugins.ts'),
  ])
  const log = fileLog(logFile(repo), 'info', {
    component: 'external-agents',
  })
  const site = {
    root: repo.root,
    env,
    cliVersion: version,
    // The variable shortens tests of plugins that hang.
    timeoutMs: Number(env.ENTIRE_TEST_PLUGIN_TIMEOUT_MS) || (hurried ? limits.hurriedMs : limits.timeoutMs),
    report: (problem: string) => {
      write(2, `[entire] ${problem.split('\n').map(clean).join('\n')}\n`)
      if (isSetUp(repo.root)) log.write('warn', problem)
    },
  }
  const noted = readHookedPlugins({ root: repo.root, keepDir: originalsDir(repo) })
  return { site, cacheDir: repo.commonDir, clock: systemClock, refresh, hurried, taken: agentCards(), noted }
}
