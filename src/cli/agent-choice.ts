// For which agents a repository is set up: those named, else those that are, else those asked for or found.
import { defaultAgent, findAgent } from '../agents/index.ts'
import type { Repo } from '../git/repo.ts'
import { EntireError } from '../std/errors.ts'
import { choose } from './ask.ts'
import { findInstalledAgents, type HookedAgent, hookedAgents } from './setup.ts'

export function namedAgents(names: readonly string[]): HookedAgent[] {
  return names.map((name) => {
    const agent = findAgent(name.trim())
    if (agent?.installer === undefined) throw unknownAgent(name.trim())
    return agent as HookedAgent
  })
}

/** Undefined when the person left the question. */
export async function chooseAgents(repo: Repo, ask: boolean): Promise<HookedAgent[] | undefined> {
  const installed = await findInstalledAgents(repo)
  if (installed.length > 0) return installed
  const found = hookedAgents.filter((agent) => agent.detect(repo.root))
  const proposal = found.length > 0 ? found : hookedAgents.filter((agent) => agent === defaultAgent)
  if (!ask) return proposal
  const choices = hookedAgents.map((agent) => ({ value: agent.name, label: agent.description }))
  const names = await choose(
    'Which agents do you use in this repository?',
    choices,
    proposal.map((agent) => agent.name),
  )
  return names && namedAgents(names)
}

function unknownAgent(name: string): EntireError {
  const problem = name === '' ? 'Missing agent name.' : `Unknown agent "${name}".`
  const list = hookedAgents.map((agent) => `  ${agent.name}${agent === defaultAgent ? '    (default)' : ''}`)
  return new EntireError(
    'unknown-agent',
    [`${problem} Available agents:`, '', ...list, '', 'Usage: entire enable --agent <agent-name>'].join('\n'),
  )
}
