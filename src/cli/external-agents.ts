// External agents of a repository join the others. Where the settings do not want any, nobody looks for them.

import { join } from 'node:path'
import { addAgents, agentCards, findAgent } from '../agents/index.ts'
import type { Repo } from '../git/repo.ts'
import type { Agent, Env } from '../model/agent.ts'
import { isSetUp, readSettings } from '../settings/read.ts'
import { EntireError } from '../std/errors.ts'
import { fileLog } from '../std/log.ts'
import { systemClock } from '../std/time.ts'
import { version } from '../std/version.ts'
import { clean } from './render/text.ts'
import { write } from './streams.ts'

export interface LoadOptions {
  /** Also where the settings do not say so, because a person asks. */
  evenIfDisabled?: boolean
  /** What is remembered of plugins is asked again. */
  refresh?: boolean
  /** A commit, or another agent, waits. */
  hurried?: boolean
}

/** All on the PATH. */
export async function loadExternalAgents(repo: Repo, env: Env, options: LoadOptions = {}): Promise<void> {
  if (options.evenIfDisabled !== true && !wantsExternal(repo)) return
  const { listExternalAgents } = await import('../agents/external/discover.ts')
  addAgents(await listExternalAgents(await discovery(repo, env, options)))
}

/** Only this one. Throws when its plugin cannot be used. */
export async function loadExternalAgent(
  repo: Repo,
  env: Env,
  name: string,
  options: LoadOptions = {},
): Promise<Agent | undefined> {
  const known = await findAgent(name)
  if (known !== undefined || (options.evenIfDisabled !== true && !wantsExternal(repo))) return known
  const { findExternalAgent } = await import('../agents/external/discover.ts')
  const found = await findExternalAgent(await discovery(repo, env, options), name)
  if (found !== undefined) addAgents([found])
  return found
}

// Settings that nobody can read are told of elsewhere, and want nothing.
function wantsExternal(repo: Repo): boolean {
  try {
    return isSetUp(repo.root) && readSettings(repo.root).externalAgents
  } catch (error) {
    if (error instanceof EntireError) return false
    throw error
  }
}

async function discovery(repo: Repo, env: Env, { refresh = false, hurried = false }: LoadOptions) {
  const { limits } = await import('../protocol/external-agent/subcommand.ts')
  const log = fileLog(join(repo.root, '.entire', 'logs', 'entire.log'), 'info', {
    component: 'external-agents',
  })
  const site = {
    root: repo.root,
    env,
    cliVersion: version,
    // Nobody should have to wait half a minute in a test of a plugin that hangs.
    timeoutMs: Number(env.ENTIRE_TEST_PLUGIN_TIMEOUT_MS) || (hurried ? limits.hurriedMs : limits.timeoutMs),
    report: (problem: string) => {
      write(2, `[entire] ${problem.split('\n').map(clean).join('\n')}\n`)
      if (isSetUp(repo.root)) log.write('warn', problem)
    },
  }
  return { site, cacheDir: repo.commonDir, clock: systemClock, refresh, hurried, taken: agentCards() }
}
