// Defines `entire agent`, which lists the agents, installs and removes their hooks, and creates and checks
// plugins.

import { buildCommand, buildRouteMap } from '@stricli/core'
import { agents } from '../../agents/all.ts'
import { forgetHooks, readHookedPlugins } from '../../agents/external/hooked-plugins.ts'
import { findRepo, type Repo } from '../../git/repo.ts'
import type { Agent } from '../../model/agent.ts'
import { defaultSettings } from '../../model/settings.ts'
import { isSetUp } from '../../settings/read.ts'
import { type EntireError, unknownName, useOneOf } from '../../std/errors.ts'
import { formatJson } from '../../std/json.ts'
import { closest } from '../closest.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import { type Cli, hookProgram, requireRepo } from '../context.ts'
import { loadExternalAgents } from '../external-agents.ts'
import { requireSetUp, settingsFor } from '../preconditions.ts'
import { clean, tableLines } from '../render/text.ts'
import {
  detectedAgents,
  namedAgents,
  noteAbsent,
  pluginHint,
  recordableNames,
} from '../setup/choose-agents.ts'
import { findGonePlugins, readHookHealth, removalByHand } from '../setup/health.ts'
import {
  findInstalledAgents,
  findWatchedAgents,
  hookSite,
  installAgent,
  noteMissingProgram,
  noteObstacles,
  uninstallAgent,
} from '../setup/setup.ts'
import { checkPluginCommand, newPluginCommand, tryPluginCommand } from './plugin-commands.ts'

const agentNames = {
  kind: 'array',
  minimum: 1,
  parameter: { brief: 'Name of an agent, as in `entire agent list`', parse: String, placeholder: 'agent' },
} as const

const listCommand = buildCommand<{ json?: boolean }, [], Cli>({
  async func({ json }) {
    const facts = await readFacts(this, findRepo(this.cwd, this.env))
    if (json) return void this.process.stdout.write(formatJson(facts))
    const rows = facts.map((fact) => [fact.name, fact.type, hookState(fact)])
    for (const line of tableLines([['NAME', 'AGENT', 'HOOKS'], ...rows])) this.out(line)
  },
  parameters: { flags: { json: switchFlag('Print JSON') } },
  docs: {
    brief: 'List the agents, and which of them are recorded here',
    fullDescription: formatManual({
      text: [
        'The column HOOKS says `installed`, `out of date` (`entire enable --force` updates them), or `detected` when the agent',
        'is used in this repository but not recorded. `entire watch` records agents that have no hooks.',
      ],
      examples: [
        ['entire agent list', 'show the agents and their hooks'],
        [
          "entire agent list --json | jq '.[] | select(.installed).name'",
          'names of the installed ones, for scripts',
        ],
      ],
    }),
  },
})

const addCommand = buildCommand<{ force?: boolean }, string[], Cli>({
  async func({ force }, ...names) {
    const repo = requireRepo(this, 'agent add')
    const agents = await namedAgents(this, repo, names, unknownAgentToAdd)
    requireSetUp(repo, `Run \`entire enable --agent ${names.join(',')}\`.`)
    await noteAbsent(this, repo, agents)
    const settings = settingsFor(this, repo)
    const command = hookProgram(settings, this.program)
    for (const agent of agents)
      await installAgent(this, repo, agent, { command, force: force === true, implied: false })
    if (!settings.enabled) this.note('Note: Entire is disabled here. Run `entire enable` to record.')
    noteMissingProgram(this, command)
    await noteObstacles(this, repo, agents)
  },
  parameters: {
    flags: { force: switchFlag('Reinstall hooks that are already installed') },
    aliases: { f: 'force' },
    positional: agentNames,
  },
  docs: {
    brief: 'Install the hooks of agents',
    fullDescription: formatManual({
      text: ['Adds hooks to the settings files of the agents, and changes nothing else in these files.'],
      examples: [['entire agent add gemini', 'also record Gemini CLI']],
    }),
  },
})

const removeCommand = buildCommand<Record<never, never>, string[], Cli>({
  async func(_flags, ...names) {
    const repo = requireRepo(this, 'agent remove')
    const plugins = readHookedPlugins(hookSite(repo))
    const gone = await findGonePlugins(repo, this.env, (plugin) => names.includes(plugin.name))
    const others = names.filter((name) => !gone.some((plugin) => plugin.name === name))
    const installed = await findInstalledAgents(repo)
    const removable = [...new Set([...installed, ...plugins].map(({ name }) => name))]
    const agents = await namedAgents(this, repo, others, (name) => unknownAgentToRemove(name, removable))
    for (const plugin of gone) {
      forgetHooks(hookSite(repo), plugin.name)
      this.note(`Note: Hooks of ${plugin.type} may still be installed: ${plugin.why}`)
      this.note(`hint: If so, ${removalByHand(plugin)}.`)
    }
    for (const agent of agents) {
      const hooked = installed.find(({ name }) => name === agent.name)
      if (hooked !== undefined) await uninstallAgent(this, repo, hooked)
      else {
        forgetHooks(hookSite(repo), agent.name)
        this.out(`Hooks for ${agent.description} are not installed`)
      }
    }
    if (removable.length > 0 && removable.every((name) => names.includes(name)))
      this.note(
        'Note: No agent is left, so nothing is recorded. Run `entire disable --uninstall` to remove everything.',
      )
  },
  parameters: { positional: agentNames },
  docs: {
    brief: 'Remove the hooks of agents',
    fullDescription: formatManual({
      text: ['Restores the settings files of the agents as they were before. Recorded sessions stay.'],
      examples: [['entire agent remove gemini', 'stop recording Gemini CLI']],
    }),
  },
})

function unknownAgentToAdd(name: string): EntireError {
  const known = recordableNames()
  const hint = `${useOneOf(known, closest(name, known))} ${pluginHint(name)}`
  return unknownName('agent', clean(name), hint, 'unknown-agent')
}

function unknownAgentToRemove(name: string, removable: string[]): EntireError {
  const hint =
    removable.length === 0
      ? 'No hooks of agents are installed here.'
      : useOneOf(removable, closest(name, removable))
  return unknownName('agent', clean(name), hint, 'unknown-agent')
}

export const agentCommands = buildRouteMap<string, Cli>({
  routes: {
    list: listCommand,
    add: addCommand,
    remove: removeCommand,
    check: checkPluginCommand,
    new: newPluginCommand,
    try: tryPluginCommand,
  },
  docs: {
    brief: 'List, add and remove agents, and create plugins for others',
    fullDescription: formatManual({
      text: [
        'Agents are recorded through hooks in their settings. A plugin on the PATH adds an agent that is not in the list.',
      ],
      examples: [
        ['entire agent list', 'show the agents and their hooks'],
        ['entire agent add gemini', 'record another agent'],
        ['entire agent new owl --lang python', 'create a plugin for an agent that is not in the list'],
      ],
    }),
  },
})

interface AgentFact {
  name: string
  type: string
  description: string
  /** Null for an agent without hooks. */
  config: string | null
  detected: boolean
  installed: boolean
  /** Whether the hooks are those of this version. */
  current: boolean
}

async function readFacts(cli: Cli, repo: Repo | undefined): Promise<AgentFact[]> {
  if (repo !== undefined) await loadExternalAgents(repo, cli.env, { evenIfDisabled: true, refresh: true })
  const health =
    repo && (await readHookHealth(cli, repo, isSetUp(repo.root) ? settingsFor(cli, repo) : defaultSettings))
  const detected: Agent[] = repo
    ? [...(await detectedAgents(cli, repo)), ...(await findWatchedAgents(repo))]
    : []
  const known = agents.filter((agent) => agent.installer !== undefined || agent.watcher !== undefined)
  return known.map((agent) => {
    const installed = health?.agents.some(({ name }) => name === agent.name) === true
    return {
      name: agent.name,
      type: agent.type,
      description: agent.description,
      config: agent.installer?.configPath ?? null,
      detected: detected.includes(agent),
      installed,
      current: installed && health?.outdated.some(({ name }) => name === agent.name) === false,
    }
  })
}

function hookState({ config, current, installed, detected }: AgentFact): string {
  if (installed) return current ? 'installed' : 'out of date'
  return config === null ? 'entire watch' : detected ? 'detected' : '-'
}
