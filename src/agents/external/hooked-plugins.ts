// Records which plugins have hooks in this work tree: only a plugin can remove its hooks, and a plugin that
// is no longer installed cannot be asked whether it has any.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { HookSite } from '../../model/agent.ts'
import { readText, removeFile, writeAtomic } from '../../std/file.ts'
import { given } from '../../std/given.ts'
import { asObject, asString, asStrings, formatJson, parseJson } from '../../std/json.ts'

export interface HookedPlugin {
  name: string
  type: string
  /** Where the plugin was when it installed its hooks. */
  path: string
  /** Directories of the work tree that belong to the agent: most have their settings there. */
  dirs: string[]
  /** The PATH of the person who installed them: the plugin may need programs that are not on that of the agent. */
  searchPath?: string
}

export function rememberHooks(site: HookSite, plugin: HookedPlugin): void {
  writeAtomic(pathOf(site, plugin.name), formatJson(plugin))
}

export function forgetHooks(site: HookSite, name: string): void {
  removeFile(pathOf(site, name))
}

export function readHookedPlugins(site: HookSite): HookedPlugin[] {
  return list(site.keepDir).flatMap((file) => {
    const name = /^plugin-(.+)\.json$/.exec(file)?.[1]
    const record = name === undefined ? undefined : asObject(parseJson(readText(pathOf(site, name)) ?? ''))
    if (name === undefined || record === undefined) return []
    return [
      {
        name,
        type: asString(record.type) ?? name,
        path: asString(record.path) ?? '',
        dirs: asStrings(record.dirs),
        ...given({ searchPath: asString(record.searchPath) }),
      },
    ]
  })
}

function pathOf(site: HookSite, name: string): string {
  return join(site.keepDir, `plugin-${name}.json`)
}

function list(dir: string): string[] {
  try {
    return readdirSync(dir).sort()
  } catch {
    // Nothing was recorded yet.
    return []
  }
}
