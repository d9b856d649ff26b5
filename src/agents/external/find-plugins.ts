// The plugins on the PATH. The first of a name counts; what is ours already, or what others could have changed, is not run.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { executablePrefix } from '../../protocol/external-subcommand.ts'
import { findDistrust, isExecutable, searchPath } from '../../std/program-search.ts'
import { makePlugin, type Plugin, type PluginSite } from './call.ts'
import { plainLine } from './plain-text.ts'

const nameRule = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/

/** Looks for this one only. */
export function findPlugin(site: PluginSite, name: string): Plugin | undefined {
  if (!nameRule.test(name)) return undefined
  const path = searchPath(site.env)
    .map((dir) => join(dir, executablePrefix + name))
    .find((place) => isExecutable(place) && isTrusted(site, place))
  return path === undefined ? undefined : makePlugin(name, path, site)
}

export function listPlugins(site: PluginSite): Plugin[] {
  const found = new Map<string, Plugin>()
  for (const dir of searchPath(site.env)) {
    for (const file of list(dir)) {
      const name = file.slice(executablePrefix.length)
      if (!file.startsWith(executablePrefix) || !nameRule.test(name) || found.has(name)) continue
      const path = join(dir, file)
      if (isExecutable(path) && isTrusted(site, path)) found.set(name, makePlugin(name, path, site))
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function isTrusted(site: PluginSite, path: string): boolean {
  const distrust = findDistrust(path, site.root)
  if (distrust !== undefined) site.report(`Skipped ${plainLine(path)}: ${distrust}.`)
  return distrust === undefined
}

function list(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    // Many an entry of the PATH does not exist.
    return []
  }
}
