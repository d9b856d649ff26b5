// What could come next on a command line: commands, flags and values, from the same tree that runs it.
import { buildApplication, type Command, proposeCompletions, type RouteMap } from '@stricli/core'
import { canonical, commandList, commandNames, isCommandName, type Target } from '../command-list.ts'
import type { Cli } from '../context.ts'
import { listPlugins } from '../plugin.ts'
import { clean, cut } from '../render/text.ts'
import type { Candidate } from './sources.ts'
import { withSources } from './with-sources.ts'

/** `words`: those after the program, the last one being typed. */
export async function propose(cli: Cli, typed: readonly string[]): Promise<Candidate[]> {
  const found = await proposeJoined(cli, typed)
  const partial = typed.at(-1) ?? ''
  // A name that would move the cursor, or need more than a word, is not worth the risk.
  const usable = found.filter(({ value }) => value.startsWith(partial) && value !== '' && clean(value) === value && !/\s/.test(value))
  const unique = new Map(usable.map((candidate) => [candidate.value, { ...candidate, about: cut(candidate.about, 60) }]))
  return [...unique.values()]
}

// Bash makes three words of --flag=value; to the others it is one, and they want it back as one.
async function proposeJoined(cli: Cli, typed: readonly string[]): Promise<Candidate[]> {
  const [, flag, value] = /^(--[^=]+)=(.*)$/s.exec(typed.at(-1) ?? '') ?? []
  if (flag === undefined || value === undefined) return await proposeRaw(cli, typed)
  const found = await proposeRaw(cli, [...typed.slice(0, -1), flag, value])
  const values = found.filter(({ value: word }) => !word.startsWith('-'))
  return values.map((candidate) => ({ ...candidate, value: `${flag}=${candidate.value}` }))
}

async function proposeRaw(cli: Cli, typed: readonly string[]): Promise<Candidate[]> {
  const before = typed.slice(0, -1)
  const partial = typed.at(-1) ?? ''
  if (before.length === 0) return rootCandidates(cli, partial)
  if (before[0] === 'help') return before.length === 1 ? commandCandidates() : []
  const words = canonical(before)
  const [name, ...rest] = words
  if (!isCommandName(name)) return []
  return proposeFor(await commandList[name].load(), { cli, words, rest, partial })
}

interface Position {
  cli: Cli
  /** All words before the one being typed. */
  words: string[]
  /** Those that the target has not taken yet. */
  rest: string[]
  partial: string
}

async function proposeFor(target: Target, position: Position): Promise<Candidate[]> {
  if (!isRouteMap(target)) return commandProposals(target, position)
  const [word, ...rest] = position.rest
  const fallback = target.getDefaultCommand()
  const next =
    word === undefined ? undefined : target.getAllEntries().find(({ name, aliases }) => name.original === word || aliases.includes(word))
  if (next !== undefined) return proposeFor(next.target as Target, { ...position, rest })
  const flags = fallback === undefined ? [] : await commandProposals(fallback, position)
  if (word !== undefined) return flags
  const routes = target.getAllEntries().filter((entry) => !entry.hidden)
  return position.partial.startsWith('-') ? flags : routes.map(({ name, target: { brief } }) => ({ value: name.original, about: brief }))
}

async function commandProposals(command: Command<Cli>, position: Position): Promise<Candidate[]> {
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
  const help = position.partial.startsWith('-') ? [{ value: '--help', about: 'Print help' }] : []
  // Flags come when they are asked for, or when there is nothing else.
  const proposals = (values.length > 0 ? values : shown).map(({ completion, brief }) => ({
    value: completion,
    about: about.get(completion) ?? brief,
  }))
  return [...proposals, ...help]
}

function rootCandidates(cli: Cli, partial: string): Candidate[] {
  if (partial.startsWith('-'))
    return [
      { value: '--help', about: 'Print help' },
      { value: '--version', about: 'Print the version' },
    ]
  return [
    ...commandCandidates(),
    { value: 'help', about: 'Read about a command' },
    ...listPlugins(cli).map(({ name, path }) => ({ value: name, about: path })),
  ]
}

function commandCandidates(): Candidate[] {
  // Hooks are called by agents and by git, not by people.
  return commandNames.filter((name) => name !== 'hooks').map((name) => ({ value: name, about: commandList[name].brief }))
}

function isRouteMap(target: Target): target is RouteMap<Cli> {
  return 'getAllEntries' in target
}
