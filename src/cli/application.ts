// How our programs take their arguments: the same words for the same mistakes, and exit codes 0 done, 1 failed, 2 used wrongly.

import { type Application, buildApplication, ExitCode, type RouteMap, run, text_en } from '@stricli/core'
import { EntireError, type ErrorCode } from '../std/errors.ts'
import { version } from '../std/version.ts'
import type { Cli } from './context.ts'
import { cleanLines } from './render/text.ts'

const usageErrors: readonly string[] = ['bad-usage', 'no-terminal'] satisfies ErrorCode[]

/** `inputs` tell which help is named to somebody who mistyped. */
export function makeApplication(
  name: string,
  root: RouteMap<Cli>,
  inputs: readonly string[],
): Application<Cli> {
  const help = [name, ...findRoute(root, inputs), '--help'].join(' ')
  const usage = (message: string, colour: boolean) =>
    formatFailure(message, `Run \`${help}\` to see what there is.`, colour)
  return buildApplication<Cli>(root, {
    name,
    versionInfo: { currentVersion: version },
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true, distanceOptions },
    localization: {
      text: {
        ...text_en,
        noCommandRegisteredForInput: (args) =>
          usage(text_en.noCommandRegisteredForInput(args), args.ansiColor),
        exceptionWhileParsingArguments: (error, colour) =>
          usage(text_en.exceptionWhileParsingArguments(error, colour), colour),
        exceptionWhileLoadingCommandFunction: formatError,
        exceptionWhileLoadingCommandContext: formatError,
        exceptionWhileRunningCommand: formatError,
        commandErrorResult: formatError,
      },
    },
    determineExitCode: (error) => (error instanceof EntireError && usageErrors.includes(error.code) ? 2 : 1),
  })
}

/** What is farther away than this is nothing that anybody could have meant. */
const distanceOptions = {
  threshold: 4,
  weights: { insertion: 1, deletion: 3, substitution: 2, transposition: 0 },
}

/** The words that name a command. */
function findRoute(root: RouteMap<Cli>, inputs: readonly string[]): string[] {
  const [word, ...rest] = inputs.filter((input) => !input.startsWith('-'))
  const target = root.getAllEntries().find(({ name }) => name.original === word)?.target
  if (word === undefined || target === undefined) return []
  return [word, ...('getAllEntries' in target ? findRoute(target, rest) : [])]
}

/** Gives the exit code. */
export async function runApplication(
  application: Application<Cli>,
  inputs: readonly string[],
  cli: Cli,
): Promise<number> {
  await run(application, inputs, cli)
  const code = Number(cli.process.exitCode ?? 0)
  if (code === ExitCode.UnknownCommand || code === ExitCode.InvalidArgument) return 2
  return code < 0 ? 1 : code
}

// What a person sees of a failure: what happened and what to do next. A bug keeps its stack, because that is what to do next.

export function formatError(error: unknown, colour = false): string {
  if (error instanceof EntireError) return formatFailure(error.message, error.hint, colour)
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return formatFailure(`This is a bug in entire. ${stack}`, 'Please report it with the lines above.', colour)
}

// Stricli paints the whole text red; only the label should be. What failed may bear a name that a stranger gave it.
export function formatFailure(message: string, hint: string | undefined, colour = false): string {
  const plain = colour ? '\x1b[39m\x1b[22m' : ''
  return `error:${plain} ${cleanLines(message)}${hint === undefined ? '' : `\nhint: ${cleanLines(hint)}`}`
}
