// Finds the agents to watch: those the user names, otherwise those that cannot be recorded by hooks here.

import { resolve } from 'node:path'
import { agents, findAgent } from '../../agents/all.ts'
import { sessionDirWatcher } from '../../agents/shared/session-dir-watcher.ts'
import type { Repo } from '../../git/repo.ts'
import type { Agent } from '../../model/agent.ts'
import type { FileWatcher, ProjectContext } from '../../model/session-file.ts'
import { EntireError, requires, unknownName, useOneOf } from '../../std/errors.ts'
import { closest } from '../closest.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'
import { findInstalledAgents } from '../setup/setup.ts'

export interface WatchedAgent {
  agent: Agent
  watcher: FileWatcher
  isHooked: boolean
  place: ProjectContext
}

export async function watchedAgents(
  cli: Cli,
  repo: Repo,
  flags: { agent?: readonly string[]; chatHistoryFile?: string },
): Promise<WatchedAgent[]> {
  const installed = new Set((await findInstalledAgents(repo)).map(({ name }) => name))
  const history = flags.chatHistoryFile
  const env = {
    ...cli.env,
    ...(history === undefined ? {} : { AIDER_CHAT_HISTORY_FILE: resolve(cli.cwd, history) }),
  }
  const chosen =
    flags.agent === undefined
      ? await withoutHooks(repo, installed)
      : flags.agent.map((name) => requireAgent(name.trim()))
  return [...new Set(chosen)].map((agent) => ({
    agent,
    watcher: watcherOf(agent) ?? unwatchable(agent),
    isHooked: installed.has(agent.name),
    place: { root: repo.root, env },
  }))
}

function watcherOf(agent: Agent): FileWatcher | undefined {
  return agent.watcher ?? sessionDirWatcher(agent)
}

async function withoutHooks(repo: Repo, installed: Set<string>): Promise<Agent[]> {
  const candidates = agents.filter(
    (agent) => agent.executable === undefined && !installed.has(agent.name) && watcherOf(agent) !== undefined,
  )
  const detected = await Promise.all(
    candidates.map((agent) => agent.installer === undefined || agent.detect(repo.root)),
  )
  return candidates.filter((_, index) => detected[index])
}

function requireAgent(name: string): Agent {
  const agent = findAgent(name)
  if (agent !== undefined) return agent
  if (name === '') throw requires('--agent', 'a value')
  const known = agents.filter((each) => watcherOf(each) !== undefined).map((each) => each.name)
  throw unknownName('agent', clean(name), useOneOf(known, closest(name, known)), 'unknown-agent')
}

function unwatchable({ type, executable }: Agent): never {
  throw new EntireError('agent-failed', `${type} cannot be watched.`, {
    hint:
      executable === undefined
        ? 'Install its hooks instead: `entire agent add`.'
        : 'Install the hooks of its plugin instead: `entire agent add`.',
  })
}
