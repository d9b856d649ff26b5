// Rewords the help and the error messages of the argument parser in the style of the program's own.

import {
  AliasNotFoundError,
  ArgumentParseError,
  FlagNotFoundError,
  UnexpectedFlagError,
  UnexpectedPositionalError,
  UnsatisfiedFlagError,
  UnsatisfiedPositionalError,
} from '@stricli/core'
import { didYouMean, EntireError, invalidValue, messageOf, requires, unknownName } from '../std/errors.ts'
import { given } from '../std/given.ts'
import type { CommandNode } from './command-parts.ts'
import { wrapHelp } from './wrap-help.ts'

export interface UsageProblem {
  message: string
  /** Names that the person may have meant, or what to type instead. */
  advice?: string
}

export function unknownCommand(input: string, corrections: readonly string[]): UsageProblem {
  const kind = input.startsWith('-') ? 'flag' : 'command'
  return describeProblem(unknownName(kind, input, adviceOf(corrections)))
}

export function describeUsageError(error: unknown): UsageProblem {
  if (error instanceof FlagNotFoundError)
    return describeProblem(
      unknownName('flag', `--${error.input}`, adviceOf(error.corrections.map((name) => `\`--${name}\``))),
    )
  if (error instanceof AliasNotFoundError) return describeProblem(unknownName('flag', `-${error.input}`))
  if (error instanceof ArgumentParseError)
    return describeProblem(
      error.exception instanceof EntireError
        ? error.exception
        : invalidValue(error.input, `--${error.externalFlagNameOrPlaceholder}`),
    )
  if (error instanceof UnsatisfiedFlagError)
    return describeProblem(requires(`--${error.externalFlagName}`, 'a value'))
  if (error instanceof UnexpectedFlagError)
    return { message: `--${error.externalFlagName} can be given only once.` }
  if (error instanceof UnexpectedPositionalError) return { message: `Unexpected argument "${error.input}"` }
  if (error instanceof UnsatisfiedPositionalError)
    return { message: `Missing argument <${error.placeholder}>` }
  return { message: messageOf(error) }
}

function describeProblem({ message, hint }: EntireError): UsageProblem {
  return { message, ...given({ advice: hint }) }
}

function adviceOf(corrections: readonly string[]): string | undefined {
  return corrections.length === 0 ? undefined : didYouMean(corrections)
}

export const helpBriefs = {
  help: 'Print this help',
  helpAll: 'Print this help, with hidden commands and flags',
  version: 'Print the version',
  argumentEscapeSequence: 'Take the words that follow as arguments, not as flags',
}

export const helpKeywords = { default: 'default:', separator: 'separator:' }

/** Replaces the help of a command, or of all commands of a group. */
export function withPlainHelp<Node extends CommandNode>(node: Node, width: () => number): Node {
  const formatHelp: CommandNode['formatHelp'] = (args) => wrapHelp(plainHelp(node.formatHelp(args)), width())
  if (!('getAllEntries' in node)) return { ...node, formatHelp }
  return {
    ...node,
    formatHelp,
    getAllEntries: () =>
      node.getAllEntries().map((entry) => ({ ...entry, target: withPlainHelp(entry.target, width) })),
    getDefaultCommand: () => {
      const command = node.getDefaultCommand()
      return command && withPlainHelp(command, width)
    },
    getRoutingTargetForInput: (input: string) => {
      const target = node.getRoutingTargetForInput(input)
      return target && withPlainHelp(target, width)
    },
  }
}

/**
 * The parser puts brackets around the names of optional flags and arguments. The usage line says what is
 * optional, so the lists below it have the bare names.
 */
export function plainHelp(help: string): string {
  const sections = help.split(/^(?=\S*(?:FLAGS|ARGUMENTS)\S*$)/m)
  return sections.map((section, index) => (index === 0 ? section : plainSection(section))).join('')
}

const ansi = String.raw`(?:\x1b\[[\d;]*m)*`
const margin = `^((?:${ansi} |${ansi}-\\w)*${ansi})`
const optionalName = new RegExp(`${margin}\\[(-{0,2}[\\w/-]+)\\](\\.\\.\\.)?`, 'gm')
// Beside names in brackets the parser indents the others by one more column.
const requiredName = new RegExp(`${margin} (--[\\w-]*|\\w[\\w-]*)`, 'gm')
const separator = new RegExp(` *\\[${ansi}separator:${ansi} [^\\]]*\\]`, 'g')
const fallback = new RegExp(`\\[${ansi}default:${ansi} ([^\\]]*)\\]`, 'g')

function plainSection(section: string): string {
  const rows = section.replace(separator, '').replace(fallback, '(default: $1)')
  const bare =
    rows.search(optionalName) >= 0
      ? rows.replace(requiredName, '$1$2').replace(optionalName, '$1$2$3 ')
      : rows
  return bare.replace(/ +$/gm, '')
}
