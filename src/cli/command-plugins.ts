// Runs command plugins: `entire x` runs the program `entire-x` on the PATH, unless x is a built-in command.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findRepo } from '../git/repo.ts'
import { messageOf } from '../std/errors.ts'
import { given } from '../std/given.ts'
import { runAttached } from '../std/process.ts'
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

type Surroundings = Pick<Cli, 'cwd' | 'env'>

const prefix = 'entire-'
// External agents are programs for this one, not commands for people.
const externalAgent = /^entire-agent-/

/** The first trusted program on the PATH. Warns about those that are skipped. */
export function findCommandPlugin(
  cli: Surroundings & Pick<Cli, 'note'>,
  name: string,
): CommandPlugin | undefined {
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

/** All programs that would be run, sorted by name. */
export function listCommandPlugins({ cwd, env }: Surroundings): CommandPlugin[] {
  const root = findRepo(cwd, env)?.root
  const found = new Map<string, CommandPlugin>()
  for (const dir of searchPath(env)) {
    for (const file of listFiles(dir)) {
      const name = file.slice(prefix.length)
      if (!file.startsWith(prefix) || externalAgent.test(file) || isCommandName(name) || found.has(name))
        continue
      const path = join(dir, file)
      if (isExecutable(path) && whyUntrusted(path, root) === undefined) found.set(name, { name, path })
    }
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name))
}

/**
 * The plugin gets the streams of this program. Returns its exit code, or 128 plus the number of the signal
 * that ended it.
 */
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
      `error: ${clean(plugin.path)} cannot be run: ${messageOf(error)}\nhint: Begin a script with a line such as #!/bin/sh.`,
    )
    // The exit code of a shell.
    return 126
  }
}

function listFiles(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    // Entries of the PATH often do not exist.
    return []
  }
}
