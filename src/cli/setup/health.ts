// Checks whether the hooks of agents and git are installed and current, and finds plugins that are gone.

import { type HookedPlugin, readHookedPlugins } from '../../agents/external/hooked-plugins.ts'
import { readConfig } from '../../git/config.ts'
import { findOldGit, installGitHint } from '../../git/exec.ts'
import { hooksStatus } from '../../git/hooks/install.ts'
import type { Repo } from '../../git/repo.ts'
import type { Agent, Obstacle } from '../../model/agent.ts'
import type { Settings } from '../../model/settings.ts'
import type { Environment } from '../../std/environment.ts'
import { EntireError } from '../../std/errors.ts'
import { exists } from '../../std/file.ts'
import { type Cli, hookProgram } from '../context.ts'
import { readHookErrors } from '../doctor/log-file.ts'
import { loadExternalAgent } from '../external-agents.ts'
import { findWatchedAgents, type HookedAgent, hookSite, readAgentHooks } from './setup.ts'
import { describeUnreported, findUnreported } from './unreported.ts'

export interface HookHealth {
  agents: HookedAgent[]
  /** Agents without hooks that are used here: `entire watch` records them. */
  watched: Agent[]
  outdated: HookedAgent[]
  git: 'all' | 'outdated' | 'missing'
  /** Why plugins with hooks here cannot be asked. */
  problems: string[]
}

/** Of a repository in which nothing was looked at. */
export const noHealth: HookHealth = Object.freeze({
  agents: [],
  watched: [],
  outdated: [],
  git: 'missing',
  problems: [],
})

export async function readHookHealth(cli: Cli, repo: Repo, settings: Settings): Promise<HookHealth> {
  const command = hookProgram(settings, cli.program)
  // Those that are absent are among the obstacles.
  const isThere = (plugin: HookedPlugin) => !isAbsent(plugin, cli.env)
  const gone = settings.externalAgents
    ? await findGonePlugins(repo, cli.env, isThere)
    : readHookedPlugins(hookSite(repo)).map((plugin) => ({ ...plugin, why: notAllowed }))
  const [states, watched, { hooksDir }] = await Promise.all([
    readAgentHooks(repo),
    findWatchedAgents(repo),
    readConfig(repo),
  ])
  const agents = states.flatMap(({ agent, installed }) => (installed === true ? agent : []))
  const current = await Promise.all(
    agents.map((agent) => agent.installer.current(hookSite(repo), { command })),
  )
  return {
    agents,
    watched,
    outdated: agents.filter((_, index) => !current[index]),
    git: hooksStatus(hooksDir, { command, program: cli.program }),
    problems: [
      ...gone.map(({ type, why }) => `${type}: ${why}`),
      ...states.flatMap(({ installed }) => (typeof installed === 'boolean' ? [] : installed.message)),
    ],
  }
}

const notAllowed = 'it has hooks here, but the settings do not allow external agents.'

export function isHealthy(health: HookHealth): boolean {
  return (
    health.agents.length + health.watched.length > 0 && health.outdated.length === 0 && health.git === 'all'
  )
}

/** What keeps sessions from being recorded although everything is installed, and what to do about it. */
export async function findObstacles(cli: Cli, repo: Repo, { agents }: HookHealth): Promise<Obstacle[]> {
  const [version, held, unreported] = await Promise.all([
    findOldGit(repo),
    Promise.all(agents.map((agent) => agent.findObstacle?.(repo.root, cli.env))),
    findUnreported(cli, repo, agents),
  ])
  // That they are held back is reason enough for their silence.
  const waiting: Agent[] = agents.filter((_, index) => held[index] !== undefined)
  return [
    ...(version === undefined ? [] : [{ message: `This git is too old: ${version}.`, fix: installGitHint }]),
    ...held.flatMap((obstacle) => obstacle ?? []),
    ...findAbsentPlugins(repo, cli.env),
    ...hookErrors(repo, cli.clock()),
    ...unreported
      .filter(({ agent }) => !waiting.includes(agent))
      .map((session) => describeUnreported(session, agents)),
  ]
}

// Whether a plugin also works is for `entire doctor` to find out: asking it costs a process.
function findAbsentPlugins(repo: Repo, env: Environment): Obstacle[] {
  return readHookedPlugins(hookSite(repo))
    .filter((plugin) => isAbsent(plugin, env))
    .map(({ name, type, path }) => ({
      message: `The plugin of ${type} is gone: its sessions are not recorded.`,
      fix: `Put ${path} back, or run \`entire agent remove ${name}\`.`,
    }))
}

function isAbsent({ name, path }: HookedPlugin, { PATH = '' }: Environment): boolean {
  return !exists(path) && Bun.which(`entire-agent-${name}`, { PATH }) === null
}

const logBytes = 64 * 1024

function hookErrors(repo: Repo, now: Date): Obstacle[] {
  const { errors, hasRecovered } = readHookErrors(repo, now, logBytes)
  const [last] = errors
  if (last === undefined || hasRecovered) return []
  return [{ message: `Hooks failed lately: ${last.message}`, fix: 'Run `entire doctor logs --level error`.' }]
}

/** An external agent that has hooks here, but whose plugin cannot be used any more. */
export interface GonePlugin extends HookedPlugin {
  why: string
}

/** Also loads the external agents whose plugins still exist, whatever the settings say. */
export async function findGonePlugins(
  repo: Repo,
  env: Environment,
  isMeant: (plugin: HookedPlugin) => boolean = () => true,
): Promise<GonePlugin[]> {
  const plugins = readHookedPlugins(hookSite(repo)).filter(isMeant)
  const gone = await Promise.all(
    plugins.map(async (plugin) => ({ ...plugin, why: await whyGone(repo, env, plugin) })),
  )
  return gone.filter((plugin): plugin is GonePlugin => plugin.why !== undefined)
}

async function whyGone(
  repo: Repo,
  env: Environment,
  { name, path }: HookedPlugin,
): Promise<string | undefined> {
  try {
    const agent = await loadExternalAgent(repo, env, name, { evenIfDisabled: true, hurried: true })
    return agent === undefined
      ? `its plugin entire-agent-${name} is no longer on the PATH (it was ${path}).`
      : undefined
  } catch (error) {
    if (error instanceof EntireError) return error.message
    throw error
  }
}

export function hooksLeftError(plugin: GonePlugin): EntireError {
  return new EntireError('agent-failed', `The hooks of ${plugin.type} could not be removed: ${plugin.why}`, {
    hint: `Reinstall the plugin and run the command again. Or ${removalByHand(plugin)}, and then run \`entire agent remove ${plugin.name}\`.`,
  })
}

export function removalByHand({ name, dirs }: HookedPlugin): string {
  const where =
    dirs.length === 0
      ? 'in the settings of the agent'
      : `in ${dirs.join(', ')} or other settings of the agent`
  return `remove by hand the entries that call \`entire hooks ${name}\` (${where})`
}
