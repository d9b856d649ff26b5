// Chooses the agents to record: those named, installed, detected, or picked by a person.

import { agents, defaultAgent, findAgent } from '../../agents/all.ts'
import type { Repo } from '../../git/repo.ts'
import type { Agent } from '../../model/agent.ts'
import { EntireError, messageOf, unknownName } from '../../std/errors.ts'
import { chooseMany } from '../ask.ts'
import type { Cli } from '../context.ts'
import { loadExternalAgent, loadExternalAgents } from '../external-agents.ts'
import { clean, cleanLines } from '../render/text.ts'
import { findWatchedAgents, type HookedAgent, hookedAgents } from './setup.ts'

/** Includes external agents on the PATH. `unknown` makes the error for a name that is none of them. */
export async function namedAgents(
  cli: Cli,
  repo: Repo,
  names: readonly string[],
  unknown: (name: string) => EntireError,
): Promise<Agent[]> {
  const found: Agent[] = []
  for (const name of names.map((each) => each.trim())) {
    const agent =
      findAgent(name) ??
      (await loadExternalAgent(repo, cli.env, name, { evenIfDisabled: true, refresh: true }))
    if (agent === undefined) {
      // For the list of names in the error.
      await loadExternalAgents(repo, cli.env)
      throw unknown(name)
    }
    if (!isRecordable(agent))
      throw new EntireError(
        'agent-failed',
        `${agent.type} has no hooks, so its sessions cannot be recorded.`,
        {
          hint: 'Its plugin must declare the capability `hooks`.',
        },
      )
    found.push(agent)
  }
  return [...new Set(found)]
}

export function recordableNames(): string[] {
  return agents.filter(isRecordable).map(({ name }) => name)
}

function isRecordable({ installer, watcher }: Agent): boolean {
  return installer !== undefined || watcher !== undefined
}

/** Says which external agents their plugins do not find here. The person who named one knows better. */
export async function noteAbsent(cli: Cli, repo: Repo, agents: Agent[]): Promise<void> {
  for (const agent of agents) {
    if (agent.executable === undefined) continue
    const isPresent = await detects(cli, repo, agent)
    if (isPresent === false)
      cli.note(`Note: ${agent.executable} does not detect ${agent.type} here. It is set up all the same.`)
  }
}

export async function detectedAgents(cli: Cli, repo: Repo): Promise<HookedAgent[]> {
  const detected = await Promise.all(hookedAgents().map((agent) => detects(cli, repo, agent)))
  return hookedAgents().filter((_, index) => detected[index])
}

/** Undefined when its plugin cannot tell; the reason is shown. */
async function detects(cli: Cli, repo: Repo, agent: Agent): Promise<boolean | undefined> {
  try {
    return await agent.detect(repo.root)
  } catch (error) {
    if (!(error instanceof EntireError)) throw error
    cli.note(`[entire] ${cleanLines(messageOf(error))}`)
    return undefined
  }
}

/** The installed agents, else the detected ones, else the default agent. */
export async function proposedAgents(cli: Cli, repo: Repo, installed: HookedAgent[]): Promise<Agent[]> {
  if (installed.length > 0) return installed
  const [detected, watched] = [await detectedAgents(cli, repo), await findWatchedAgents(repo)]
  return detected.length === 0 && watched.length > 0 ? watched : withoutPlugins(detected)
}

// A plugin is on the PATH for all repositories, so only a person can say whether to use it in this one.
function withoutPlugins(detected: HookedAgent[]): HookedAgent[] {
  const builtIn = detected.filter((agent) => agent.executable === undefined)
  return builtIn.length > 0 ? builtIn : hookedAgents().filter((agent) => agent === defaultAgent)
}

/** Lets the person choose among all agents. Undefined when the question was cancelled. */
export async function askForAgents(
  cli: Cli,
  repo: Repo,
  installed: HookedAgent[],
): Promise<HookedAgent[] | undefined> {
  await loadExternalAgents(repo, cli.env, { evenIfDisabled: true, refresh: true })
  const detected = await detectedAgents(cli, repo)
  const state = (agent: HookedAgent) =>
    installed.includes(agent) ? ' (installed)' : detected.includes(agent) ? ' (detected)' : ''
  const names = await chooseMany(
    cli,
    {
      message: 'Which agents do you use in this repository?',
      ...(installed.length > 0 ? { detail: 'Hooks of agents that you deselect are removed.' } : {}),
      noTerminalHint: 'Name the agents with --agent.',
    },
    hookedAgents().map((agent) => ({ value: agent.name, label: `${agent.description}${state(agent)}` })),
    (installed.length > 0 ? installed : withoutPlugins(detected)).map((agent) => agent.name),
  )
  return names && hookedAgents().filter((agent) => names.includes(agent.name))
}

/** The error of `enable`, in the words of the original: a list of all agents. */
export function unknownAgentToEnable(name: string): EntireError {
  const problem = name === '' ? 'Missing agent name' : unknownName('agent', clean(name)).message
  const remark = (agent: Agent) =>
    agent === defaultAgent
      ? '    (default)'
      : agent.installer === undefined
        ? '    (no hooks: run `entire watch`)'
        : ''
  const list = agents.filter(isRecordable).map((agent) => `  ${agent.name}${remark(agent)}`)
  const usage = 'Usage: entire enable --agent <agent-name>'
  return new EntireError(
    'unknown-agent',
    [`${problem}. Available agents:`, '', ...list, '', usage].join('\n'),
    name === '' ? {} : { hint: pluginHint(name) },
  )
}

/** Hint: how an agent that the program does not know is added. */
export function pluginHint(name: string): string {
  return `To add it, put a plugin entire-agent-${clean(name)} on the PATH.`
}
