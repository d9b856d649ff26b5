// The command line as a tree of commands. Exit codes: 0 done, 1 failed, 2 used wrongly.

import { type Application, buildCommand, buildRouteMap } from '@stricli/core'
import { makeApplication, runApplication } from './application.ts'
import {
  type CommandName,
  type CommandNode,
  canonical,
  commandList,
  commandNames,
  isCommandName,
} from './command-list.ts'
import { type Cli, systemContext } from './context.ts'

/** One application, for running and for the generated reference: with all commands, or only with those named. */
export async function buildCli(
  names: readonly CommandName[] = commandNames,
  inputs: readonly string[] = [],
): Promise<Application<Cli>> {
  return buildApp(
    await Promise.all(
      names.map(async (name): Promise<[string, CommandNode]> => [name, await commandList[name].load()]),
    ),
    inputs,
  )
}

function buildApp(targets: [string, CommandNode][], inputs: readonly string[]): Application<Cli> {
  const root = buildRouteMap<string, Cli>({
    routes: Object.fromEntries(targets),
    docs: { brief: 'Record coding-agent sessions as git checkpoints' },
  })
  return makeApplication('entire', root, inputs)
}

export async function runCli(args: string[], cli: Cli = systemContext()): Promise<number> {
  const inputs = canonical(args)
  const [name, ...rest] = inputs
  if (name === undefined || name === '--help' || name === '-h') return printHelp(cli)
  if (name === 'completion' && rest[0] === 'complete')
    return (await import('./completion/propose.ts')).answerShell(cli, rest.slice(1))
  if (!isCommandName(name) && !name.startsWith('-')) {
    const { findCommandPlugin: findPlugin, runCommandPlugin: runPlugin } = await import(
      './command-plugins.ts'
    )
    const plugin = findPlugin(cli, name)
    if (plugin !== undefined) return runPlugin(cli, plugin, rest)
  }
  if (isCommandName(name) && !alone.includes(name)) await loadAgents(cli, ['enable', 'agent'].includes(name))
  return await runApplication(
    isCommandName(name) ? await buildCli([name], inputs) : await buildNames(cli, inputs),
    inputs,
    cli,
  )
}

/** Commands that have nothing to do with agents. */
const alone: readonly string[] = ['version', 'completion', 'hooks']

async function loadAgents(cli: Cli, refresh: boolean): Promise<void> {
  const [{ findRepo }, { loadExternalAgents }] = await Promise.all([
    import('../git/repo.ts'),
    import('./external-agents.ts'),
  ])
  const repo = findRepo(cli.cwd, cli.env)
  if (repo !== undefined) await loadExternalAgents(repo, cli.env, { refresh })
}

async function printHelp(cli: Cli): Promise<number> {
  const { rootHelp } = await import('./root-help.ts')
  cli.process.stdout.write(rootHelp(cli))
  return 0
}

/** Only the names there are, for what an unknown one may have meant. */
async function buildNames(cli: Cli, inputs: readonly string[]): Promise<Application<Cli>> {
  const plugins = inputs[0]?.startsWith('-')
    ? []
    : (await import('./command-plugins.ts')).listCommandPlugins(cli)
  // Hooks are called by agents and by git: nobody who types means them.
  const names = [...commandNames.filter((name) => name !== 'hooks'), ...plugins.map((plugin) => plugin.name)]
  const command = buildCommand<Record<never, never>, [], Cli>({
    func() {},
    parameters: {},
    docs: { brief: '' },
  })
  return buildApp(
    names.map((name) => [name, command]),
    inputs,
  )
}
