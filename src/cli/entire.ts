// Runs `entire`: finds the command that the words name, loads it and runs it.

import { type Application, buildCommand, buildRouteMap } from '@stricli/core'
import { makeApplication, reportingFailure, runApplication } from './command-line.ts'
import { type CommandName, canonical, commandList, commandNames, isCommandName } from './command-list.ts'
import type { CommandNode } from './command-parts.ts'
import { type Cli, systemContext } from './context.ts'
import { type TextWidths, widthsOf } from './wrap-help.ts'

export function runCli(args: string[], cli: Cli = systemContext()): Promise<number> {
  return reportingFailure('entire', cli, () => runCommand(args, cli))
}

async function runCommand(args: string[], cli: Cli): Promise<number> {
  const inputs = canonical(args)
  const [name, ...rest] = inputs
  if (name === undefined || name === '--help' || name === '-h') return printHelp(cli)
  if (name === 'completion' && rest[0] === 'complete')
    return (await import('./completion/propose.ts')).answerShell(cli, rest.slice(1))
  if (!isCommandName(name) && !name.startsWith('-')) {
    const { findCommandPlugin, runCommandPlugin } = await import('./command-plugins.ts')
    const plugin = findCommandPlugin(cli, name)
    if (plugin !== undefined) return runCommandPlugin(cli, plugin, rest)
  }
  if (isCommandName(name) && !withoutAgents.includes(name)) await loadAgents(cli, name === 'status')
  return await runApplication(
    isCommandName(name) ? await buildCli([name], inputs, widthsOf(cli)) : await buildSuggestions(cli, inputs),
    inputs,
    cli,
  )
}

/** Commands that need no agents, or load those that they are about: setting up one plugin asks no other. */
const withoutAgents: readonly string[] = ['version', 'completion', 'hooks', 'enable', 'agent']

async function loadAgents(cli: Cli, hurried: boolean): Promise<void> {
  const [{ findRepo }, { loadExternalAgents }] = await Promise.all([
    import('../git/repo.ts'),
    import('./external-agents.ts'),
  ])
  const repo = findRepo(cli.cwd, cli.env)
  if (repo !== undefined) await loadExternalAgents(repo, cli.env, { hurried })
}

async function printHelp(cli: Cli): Promise<number> {
  const { rootHelp } = await import('./root-help.ts')
  cli.process.stdout.write(rootHelp(cli))
  return 0
}

/**
 * The application with all commands or only those in `names`, for running and for the generated reference.
 */
export async function buildCli(
  names: readonly CommandName[] = commandNames,
  inputs: readonly string[] = [],
  widths?: TextWidths,
): Promise<Application<Cli>> {
  return buildApp(
    await Promise.all(
      names.map(async (name): Promise<[string, CommandNode]> => [name, await commandList[name].load()]),
    ),
    inputs,
    widths,
  )
}

function buildApp(
  commands: [string, CommandNode][],
  inputs: readonly string[],
  widths?: TextWidths,
): Application<Cli> {
  const root = buildRouteMap<string, Cli>({
    routes: Object.fromEntries(commands),
    docs: { brief: 'Record coding-agent sessions as git checkpoints' },
  })
  return makeApplication('entire', root, inputs, widths)
}

/** Has the names of all commands and no functions: the parser suggests one of them for an unknown command. */
async function buildSuggestions(cli: Cli, inputs: readonly string[]): Promise<Application<Cli>> {
  const plugins = inputs[0]?.startsWith('-')
    ? []
    : (await import('./command-plugins.ts')).listCommandPlugins(cli)
  // Agents and git call hooks; a person who mistypes does not mean them.
  const names = [...commandNames.filter((name) => name !== 'hooks'), ...plugins.map((plugin) => plugin.name)]
  const command = buildCommand<Record<never, never>, [], Cli>({
    func() {},
    parameters: {},
    docs: { brief: '' },
  })
  return buildApp(
    names.map((name) => [name, command]),
    inputs,
    widthsOf(cli),
  )
}
