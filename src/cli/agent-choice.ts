// For which agents a repository is set up: those named, else those that are, else those asked for or found.
import { defaultAgent, findAgent } from '../agents/index.ts'
import type { Repo } from '../git/repo.ts'
import { EntireError } from '../std/errors.ts'
import { chooseMany } from './ask.ts'
import type { Cli } from './context.ts'
import { clean } from './render/text.ts'
import { type HookedAgent, hookedAgents } from './setup.ts'

/** `usage`: how to name one, for a person who named none that is known. */
export function namedAgents(names: readonly string[], usage: string): HookedAgent[] {
  const agents = names.map((name) => {
    const agent = findAgent(name.trim())
    if (agent?.installer === undefined) throw unknownAgent(name.trim(), usage)
    return agent as HookedAgent
  })
  return [...new Set(agents)]
}

export function detectedAgents(repo: Repo): HookedAgent[] {
  return hookedAgents.filter((agent) => agent.detect(repo.root))
}

/** Those that are installed, else those that are detected, else the default one. */
export function proposedAgents(repo: Repo, installed: HookedAgent[]): HookedAgent[] {
  if (installed.length > 0) return installed
  const detected = detectedAgents(repo)
  return detected.length > 0 ? detected : hookedAgents.filter((agent) => agent === defaultAgent)
}

/** All agents to choose from. Undefined when the person left the question. */
export async function askForAgents(cli: Cli, repo: Repo, installed: HookedAgent[]): Promise<HookedAgent[] | undefined> {
  const detected = detectedAgents(repo)
  const state = (agent: HookedAgent) => (installed.includes(agent) ? ' (installed)' : detected.includes(agent) ? ' (detected)' : '')
  const names = await chooseMany(
    cli,
    {
      message: 'Which agents do you use in this repository?',
      ...(installed.length > 0 ? { detail: 'Hooks of agents that you deselect are removed.' } : {}),
      otherwise: 'Name them with --agent.',
    },
    hookedAgents.map((agent) => ({ value: agent.name, label: `${agent.description}${state(agent)}` })),
    proposedAgents(repo, installed).map((agent) => agent.name),
  )
  return names && hookedAgents.filter((agent) => names.includes(agent.name))
}

function unknownAgent(name: string, usage: string): EntireError {
  const problem = name === '' ? 'Missing agent name.' : `Unknown agent "${clean(name)}".`
  const list = hookedAgents.map((agent) => `  ${agent.name}${agent === defaultAgent ? '    (default)' : ''}`)
  return new EntireError('unknown-agent', [`${problem} Available agents:`, '', ...list, '', `Usage: ${usage}`].join('\n'))
}
