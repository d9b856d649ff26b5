// From names and executables to agents. A plugin that cannot be used is left out, and somebody is told why.
import { join } from 'node:path'
import type { Agent } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import type { Clock } from '../../std/time.ts'
import { externalAgent } from './agent.ts'
import type { Plugin, PluginSite } from './call.ts'
import { findPlugin, listPlugins } from './find-plugins.ts'
import { type Known, openInfoCache, readInfo } from './info.ts'

export interface Discovery {
  site: PluginSite
  /** Where answers to `info` are remembered. */
  cacheDir: string
  clock: Clock
  /** Asks every plugin again, for commands that set something up: a plugin may delegate to files that nobody watches. */
  refresh?: boolean
  /** Somebody waits who has nothing to do with the agent: a plugin that has hung is not asked again for a while. */
  hurried?: boolean
  /** Agents that are there already: their names and types are taken. */
  taken: Pick<Agent, 'name' | 'type'>[]
}

export const infoCacheName = 'entire-agents.json'

/** Undefined when there is no such plugin. Throws when there is one that cannot be used. */
export async function findExternalAgent(discovery: Discovery, name: string): Promise<Agent | undefined> {
  const plugin = findPlugin(discovery.site, name)
  if (plugin === undefined) return undefined
  const { known } = await learn(discovery, plugin)
  if ('info' in known) return externalAgent(plugin, known.info)
  throw new EntireError('agent-failed', known.problem, { hint: `Check the plugin: \`entire agent check ${plugin.path}\`.` })
}

/** Those that cannot be used are left out; why is told once. */
export async function listExternalAgents(discovery: Discovery): Promise<Agent[]> {
  const { site, taken } = discovery
  const plugins = listPlugins(site).filter(({ name }) => !taken.some((agent) => agent.name === name))
  const found = await Promise.all(
    plugins.map(async (plugin) => {
      const { known, isNews } = await learn(discovery, plugin)
      if ('info' in known) return [externalAgent(plugin, known.info)]
      if (isNews) site.report(known.problem)
      return []
    }),
  )
  return found.flat()
}

async function learn({ cacheDir, clock, refresh, hurried, taken }: Discovery, plugin: Plugin): Promise<{ known: Known; isNews: boolean }> {
  const cache = openInfoCache(join(cacheDir, infoCacheName), clock)
  const before = refresh ? undefined : cache.find(plugin.path)
  const known = before ?? (await readKnown(plugin))
  if (before === undefined) cache.remember(plugin.path, known)
  plugin.onHang = () => cache.noteHang(plugin.path)
  if (hurried) plugin.isHung = cache.hasHung(plugin.path)
  const isTaken = 'info' in known && taken.some(({ type }) => type === known.info.type)
  if (!isTaken) return { known, isNews: before === undefined }
  const problem = `entire-agent-${plugin.name} is not used: there is another agent of the type ${JSON.stringify(known.info.type)}.`
  return { known: { problem }, isNews: before === undefined }
}

async function readKnown(plugin: Plugin): Promise<Known> {
  try {
    return { info: await readInfo(plugin) }
  } catch (error) {
    if (error instanceof EntireError) return { problem: error.message }
    throw error
  }
}
