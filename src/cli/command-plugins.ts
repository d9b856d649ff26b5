// Commands of other people: `entire x` runs the program `entire-x` of the PATH, unless there is a command of that name.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findRepo } from '../git/repo.ts'
import { messageOf } from '../std/errors.ts'
import { given } from '../std/given.ts'
import { runAttached } from '../std/proc.ts'
import { isExecutable, searchPath, whyUntrusted } from '../std/program-search.ts'
import { version } from '../std/version.ts'
import { isCommandName } from './command-list.ts'
import type { Cli } from './context.ts'
import { clean } from './render/text.ts'
import { isTerminal } from './streams.ts'

export interface CommandPlugin {
  name: string
  path: string
}

type Place = Pick<Cli, 'cwd' | 'env'>

const prefix = 'entire-'
// Agents speak a protocol of their own; nobody calls them by hand.
const notCommands = /^entire-agent-/

/** The first that may be run; those that may not are named to the person, who wonders why nothing happens. */
export function findCommandPlugin(cli: Place & Pick<Cli, 'note'>, name: string): CommandPlugin | undefined {
  if (!/^[A-Za-z0-9][\w.-]*$/.test(name)) return undefined
  const root = findRepo(cli.cwd, cli.env)?.root
  for (const dir of searchPath(cli.env)) {
    const path = join(dir, prefix + name)
    if (!isExecutable(path)) continue
    const problem = whyUntrusted(path, root)
    if (problem === undefined) return { name, path }
    cli.note(`[entire] Skipped ${clean(path)}: ${problem}.`)
  }
  return undefined
}

/** All that would be run, by name. */
export function listCommandPlugins({ cwd, env }: Place): CommandPlugin[] {
  const root = findRepo(cwd, env)?.root
  const found = new Map<string, CommandPlugin>()
  for (const dir of searchPath(env)) {
    for (const file of list(dir)) {
      const name = file.slice(prefix.length)
      if (!file.startsWith(prefix) || notCommands.test(file) || isCommandName(name) || found.has(name))
        continue
      const path = join(dir, file)
      if (isExecutable(path) && whyUntrusted(path, root) === undefined) found.set(name, { name, path })
    }
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name))
}

/** Its streams are ours, and its exit code becomes ours: 128 and the number for one that a signal has ended. */
export async function runCommandPlugin(cli: Cli, plugin: CommandPlugin, args: string[]): Promise<number> {
  const root = findRepo(cli.cwd, cli.env)?.root
  const env = {
    ...cli.env,
    ENTIRE_CLI: cli.program,
    ENTIRE_CLI_VERSION: version,
    ...given({ ENTIRE_REPO_ROOT: root }),
  }
  try {
    return await runAttached([plugin.path, ...args], { cwd: cli.cwd, env, passInterrupt: !isTerminal(0) })
  } catch (error) {
    cli.note(
      `error: ${clean(plugin.path)} cannot be run: ${messageOf(error)}\nhint: A script must begin with a line such as #!/bin/sh.`,
    )
    // As a shell says it.
    return 126
  }
}

function list(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    // Many an entry of the PATH does not exist.
    return []
  }
}
