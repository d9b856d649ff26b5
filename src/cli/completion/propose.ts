// Proposes the next word of a command line: commands, flags and values, from the same tree that runs it.

import { buildApplication, type Command, proposeCompletions, type RouteMap } from '@stricli/core'
import { canonical, commandList, commandNames, isCommandName } from '../command-list.ts'
import type { CommandNode } from '../command-parts.ts'
import { listCommandPlugins } from '../command-plugins.ts'
import type { Cli } from '../context.ts'
import { clean, cut } from '../render/text.ts'
import { type Completion, type CompletionRequest, type CompletionSource, findSource } from './sources.ts'

/**
 * Answers `entire completion complete -- <words>`, which the completion scripts call when a person presses
 * Tab. Errors are dropped: they would appear in the middle of the command line.
 */
export async function answerShell(cli: Cli, words: readonly string[]): Promise<number> {
  try {
    for (const { value, about } of await propose(cli, words[0] === '--' ? words.slice(1) : words))
      cli.out(`${value}\t${about}`)
  } catch {}
  return 0
}

/** `typed`: the words after the program; the last one is being typed. */
export async function propose(cli: Cli, typed: readonly string[]): Promise<Completion[]> {
  const found = await proposeJoined(cli, typed)
  const partial = typed.at(-1) ?? ''
  // Leaves out names with control characters or spaces, which a shell could misread.
  const usable = found.filter(
    ({ value }) => value.startsWith(partial) && value !== '' && clean(value) === value && !/\s/.test(value),
  )
  const unique = new Map(
    usable.map((candidate) => [candidate.value, { ...candidate, about: cut(candidate.about, 60) }]),
  )
  return [...unique.values()]
}

// Bash splits --flag=value into three words; other shells send it as one word, and expect one word back.
async function proposeJoined(cli: Cli, typed: readonly string[]): Promise<Completion[]> {
  const [, flag, value] = /^(--[^=]+)=(.*)$/s.exec(typed.at(-1) ?? '') ?? []
  if (flag === undefined || value === undefined) return await proposeRaw(cli, typed)
  const found = await proposeRaw(cli, [...typed.slice(0, -1), flag, value])
  const values = found.filter(({ value: word }) => !word.startsWith('-'))
  return values.map((candidate) => ({ ...candidate, value: `${flag}=${candidate.value}` }))
}

async function proposeRaw(cli: Cli, typed: readonly string[]): Promise<Completion[]> {
  const before = typed.slice(0, -1)
  const partial = typed.at(-1) ?? ''
  if (before.length === 0) return rootCompletions(cli, partial)
  if (before[0] === 'help') return before.length === 1 ? commandCompletions() : []
  const words = canonical(before)
  const [name, ...rest] = words
  if (!isCommandName(name)) return []
  return proposeFor(await commandList[name].load(), { cli, words, rest, partial })
}

interface Position {
  cli: Cli
  /** All words before the one being typed. */
  words: string[]
  /** The words after those that named the command. */
  rest: string[]
  partial: string
}

async function proposeFor(node: CommandNode, position: Position): Promise<Completion[]> {
  if (!isRouteMap(node)) return proposeForCommand(node, position)
  const [word, ...rest] = position.rest
  const fallback = node.getDefaultCommand()
  const next =
    word === undefined
      ? undefined
      : node.getAllEntries().find(({ name, aliases }) => name.original === word || aliases.includes(word))
  if (next !== undefined) return proposeFor(next.target as CommandNode, { ...position, rest })
  const flags = fallback === undefined ? [] : await proposeForCommand(fallback, position)
  if (word !== undefined) return flags
  const routes = node.getAllEntries().filter((entry) => !entry.hidden)
  return position.partial.startsWith('-')
    ? flags
    : routes.map(({ name, target: { brief } }) => ({ value: name.original, about: brief }))
}

async function proposeForCommand(command: Command<Cli>, position: Position): Promise<Completion[]> {
  const about = new Map<string, string>()
  const app = buildApplication(withSources(command, position, about), {
    name: 'entire',
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
  })
  const found = await proposeCompletions(app, [...position.rest, position.partial], position.cli)
  const hidden = Object.entries(command.parameters.flags ?? {}).flatMap(([name, flag]) =>
    'hidden' in flag && flag.hidden ? [`--${name}`] : [],
  )
  const shown = found.filter(({ completion }) => completion !== '--' && !hidden.includes(completion))
  const values = shown.filter(({ kind }) => kind === 'argument:value')
  const help = position.partial.startsWith('-') ? [helpFlag] : []
  // Flags are proposed when a dash was typed, or when there are no values.
  const proposals = (values.length > 0 ? values : shown).map(({ completion, brief }) => ({
    value: completion,
    about: about.get(completion) ?? brief,
  }))
  return [...proposals, ...help]
}

const helpFlag: Completion = { value: '--help', about: 'Print help' }

function rootCompletions(cli: Cli, partial: string): Completion[] {
  if (partial.startsWith('-')) return [helpFlag, { value: '--version', about: 'Print the version' }]
  return [
    ...commandCompletions(),
    { value: 'help', about: 'Print the help of a command' },
    ...listCommandPlugins(cli).map(({ name, path }) => ({ value: name, about: path })),
  ]
}

function commandCompletions(): Completion[] {
  // Agents and git call hooks, not people.
  return commandNames
    .filter((name) => name !== 'hooks')
    .map((name) => ({ value: name, about: commandList[name].brief }))
}

function isRouteMap(target: CommandNode): target is RouteMap<Cli> {
  return 'getAllEntries' in target
}

/**
 * The command with proposals for its values, found by the names of its flags and arguments. `about` is filled
 * with a description of each proposed value.
 */
function withSources(
  command: Command<Cli>,
  { cli, words, partial }: CompletionRequest,
  about: Map<string, string>,
): Command<Cli> {
  const give = (names: (string | undefined)[], separator: string | undefined) => {
    const source = findSource(words[0] ?? '', names)
    return source && proposer(source, separator)
  }
  const proposer = (source: CompletionSource, separator: string | undefined) => async () => {
    // In a list, only the last item is being typed.
    const head = separator === undefined ? '' : partial.slice(0, partial.lastIndexOf(separator) + 1)
    const candidates = await source({ cli, words, partial: partial.slice(head.length) })
    for (const candidate of candidates) about.set(head + candidate.value, candidate.about)
    return candidates.map(({ value }) => head + value)
  }
  const { flags = {}, positional } = command.parameters
  const sourced = Object.entries(flags).map(([name, flag]) => {
    if (flag.kind !== 'parsed') return [name, flag]
    const proposeCompletions = give(
      [name, flag.placeholder],
      typeof flag.variadic === 'string' ? flag.variadic : undefined,
    )
    return [name, { ...flag, ...(proposeCompletions && { proposeCompletions }) }]
  })
  const parameter = <P extends { placeholder?: string }>(known: P): P => {
    const proposeCompletions = give([known.placeholder], undefined)
    return { ...known, ...(proposeCompletions && { proposeCompletions }) }
  }
  const places =
    positional?.kind === 'array'
      ? { ...positional, parameter: parameter(positional.parameter) }
      : positional && { ...positional, parameters: positional.parameters.map(parameter) }
  return {
    ...command,
    parameters: {
      ...command.parameters,
      flags: Object.fromEntries(sourced),
      ...(places && { positional: places }),
    },
  } as Command<Cli>
}
