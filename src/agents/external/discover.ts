// Finds external agents on the PATH. A plugin that cannot be used is left out, and the reason is reported.

import { readdirSync } from 'node:fs'
import { basename, delimiter, isAbsolute, join } from 'node:path'
import type { Agent } from '../../model/agent.ts'
import { executablePrefix } from '../../protocol/external-agent/subcommand.ts'
import { EntireError } from '../../std/errors.ts'
import { isExecutable, searchPath, whyUntrusted } from '../../std/program-search.ts'
import type { Clock } from '../../std/time.ts'
import { externalAgent } from './agent.ts'
import { makePlugin, type PluginProgram, type PluginSite, plainLine } from './call.ts'
import type { HookedPlugin } from './hooked-plugins.ts'
import { type KnownPlugin, openInfoCache, readInfo } from './info.ts'

export interface Discovery {
  site: PluginSite
  /** Where answers to `info` are remembered. */
  cacheDir: string
  clock: Clock
  /**
   * Asks every plugin again, for commands that set something up: a plugin may depend on files that are not
   * checked.
   */
  refresh?: boolean
  /** For commands unrelated to the agent: a plugin that ran into the time limit is not called for a while. */
  hurried?: boolean
  /** Agents whose names and types are taken. */
  taken: Pick<Agent, 'name' | 'type'>[]
  /** Plugins with hooks here: an agent that runs them may have a PATH without the plugin. */
  noted: HookedPlugin[]
}

const infoCacheName = 'entire-agents.json'

/** Undefined when there is no such plugin. Throws when the plugin cannot be used. */
export async function findExternalAgent(discovery: Discovery, name: string): Promise<Agent | undefined> {
  const plugin = findAgentPlugin(discovery, name)
  if (plugin === undefined) return undefined
  const { known } = await learn(discovery, plugin)
  if ('info' in known) return externalAgent(plugin, known.info)
  throw new EntireError('agent-failed', known.problem, {
    hint: `Check the plugin: \`entire agent check ${plugin.path}\`.`,
  })
}

/** Plugins that cannot be used are left out; the reason is reported once. */
export async function listExternalAgents(discovery: Discovery): Promise<Agent[]> {
  const { site, taken } = discovery
  const plugins = listAgentPlugins(discovery).filter(
    ({ name }) => !taken.some((agent) => agent.name === name),
  )
  const found = await Promise.all(
    plugins.map(async (plugin) => {
      const { known, isNew } = await learn(discovery, plugin)
      if ('info' in known) return [externalAgent(plugin, known.info)]
      if (isNew) site.report(known.problem)
      return []
    }),
  )
  return found.flat()
}

async function learn(
  { cacheDir, clock, refresh, hurried, taken }: Discovery,
  plugin: PluginProgram,
): Promise<{ known: KnownPlugin; isNew: boolean }> {
  const cache = openInfoCache(join(cacheDir, infoCacheName), clock)
  const before = refresh ? undefined : cache.find(plugin.path)
  const known = before ?? (await readKnown(plugin))
  if (before === undefined) cache.remember(plugin.path, known)
  plugin.onHang = () => cache.noteHang(plugin.path)
  if (hurried) plugin.isHung = cache.hasHung(plugin.path)
  const isTaken = 'info' in known && taken.some(({ type }) => type === known.info.type)
  if (!isTaken) return { known, isNew: before === undefined }
  const problem = `entire-agent-${plugin.name} is not used: another agent has the type ${JSON.stringify(known.info.type)}.`
  return { known: { problem }, isNew: before === undefined }
}

async function readKnown(plugin: PluginProgram): Promise<KnownPlugin> {
  try {
    return { info: await readInfo(plugin) }
  } catch (error) {
    if (error instanceof EntireError) return { problem: error.message }
    throw error
  }
}

const nameRule = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

/** The first executable of that name on the PATH that other users cannot change, else where it was noted. */
function findAgentPlugin({ site, noted }: Discovery, name: string): PluginProgram | undefined {
  if (!nameRule.test(name)) return undefined
  const path = searchPath(site.env)
    .map((dir) => join(dir, executablePrefix + name))
    .find((place) => isExecutable(place) && isTrusted(site, place))
  if (path !== undefined) return makePlugin(name, path, site)
  return noted.filter((plugin) => plugin.name === name).flatMap((plugin) => openNoted(site, plugin))[0]
}

// With the PATH that it had then behind that of today.
function openNoted(site: PluginSite, { name, path, searchPath: before }: HookedPlugin): PluginProgram[] {
  if (basename(path) !== executablePrefix + name || !isAbsolute(path)) return []
  if (!isExecutable(path) || !isTrusted(site, path)) return []
  const PATH = [site.env.PATH, before].filter(Boolean).join(delimiter)
  return [makePlugin(name, path, { ...site, env: { ...site.env, PATH } })]
}

function listAgentPlugins({ site, noted }: Discovery): PluginProgram[] {
  const found = new Map<string, PluginProgram>()
  for (const dir of searchPath(site.env)) {
    for (const file of list(dir)) {
      const name = file.slice(executablePrefix.length)
      if (!file.startsWith(executablePrefix) || !nameRule.test(name) || found.has(name)) continue
      const path = join(dir, file)
      if (isExecutable(path) && isTrusted(site, path)) found.set(name, makePlugin(name, path, site))
    }
  }
  for (const plugin of noted.filter(({ name }) => !found.has(name)))
    for (const program of openNoted(site, plugin)) found.set(plugin.name, program)
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function isTrusted(site: PluginSite, path: string): boolean {
  const distrust = whyUntrusted(path, site.root)
  if (distrust !== undefined) site.report(`Skipped ${plainLine(path)}: ${distrust}.`)
  return distrust === undefined
}

function list(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    // Entries of the PATH need not exist.
    return []
  }
}
