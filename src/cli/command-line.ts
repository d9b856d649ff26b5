// Builds and runs a command line, of `entire` or of `piglet`: its help, usage errors and failures. Exit codes:
// 0 success, 1 failure, 2 wrong usage.

import { type Application, buildApplication, ExitCode, type RouteMap, run, text_en } from '@stricli/core'
import { EntireError, type ErrorCode, systemReason } from '../std/errors.ts'
import { version } from '../std/version.ts'
import type { Cli } from './context.ts'
import {
  describeUsageError,
  helpBriefs,
  helpKeywords,
  type UsageProblem,
  unknownCommand,
  withPlainHelp,
} from './parser-text.ts'
import { cleanLines } from './render/text.ts'
import { plainWidths, type TextWidths, wrapLines } from './wrap-help.ts'

/** `inputs` are the words that were typed: an error names the help of the command they lead to. */
export function makeApplication(
  name: string,
  root: RouteMap<Cli>,
  inputs: readonly string[],
  widths: TextWidths = plainWidths,
): Application<Cli> {
  const help = [name, ...findRoute(root, inputs), '--help'].join(' ')
  const formatUsage = ({ message, advice }: UsageProblem, colour: boolean) =>
    wrapLines(
      formatFailure(message, [advice, `Run \`${help}\` for usage.`].filter(Boolean).join(' '), colour),
      widths.notes(),
    )
  // The stack of a bug is copied into a report, so its lines stay as they are.
  const formatThrown = (error: unknown, colour: boolean) =>
    error instanceof EntireError
      ? wrapLines(formatError(error, name, colour), widths.notes())
      : formatError(error, name, colour)
  return buildApplication<Cli>(withPlainHelp(root, widths.help), {
    name,
    versionInfo: { currentVersion: version },
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true, distanceOptions },
    localization: {
      text: {
        ...text_en,
        keywords: helpKeywords,
        briefs: helpBriefs,
        noCommandRegisteredForInput: ({ input, corrections, ansiColor }) =>
          formatUsage(unknownCommand(input, corrections), ansiColor),
        exceptionWhileParsingArguments: (error, colour) => formatUsage(describeUsageError(error), colour),
        exceptionWhileLoadingCommandFunction: formatThrown,
        exceptionWhileLoadingCommandContext: formatThrown,
        exceptionWhileRunningCommand: formatThrown,
        commandErrorResult: formatThrown,
      },
    },
    determineExitCode: (error) => (error instanceof EntireError && usageErrors.includes(error.code) ? 2 : 1),
  })
}

const usageErrors: readonly string[] = ['bad-usage', 'no-terminal'] satisfies ErrorCode[]

/** Words farther apart than this are not suggested. */
const distanceOptions = {
  threshold: 4,
  weights: { insertion: 1, deletion: 3, substitution: 2, transposition: 0 },
}

/** The words among `inputs` that name a command. */
function findRoute(root: RouteMap<Cli>, inputs: readonly string[]): string[] {
  const [word, ...rest] = inputs.filter((input) => !input.startsWith('-'))
  const target = root.getAllEntries().find(({ name }) => name.original === word)?.target
  if (word === undefined || target === undefined) return []
  return [word, ...('getAllEntries' in target ? findRoute(target, rest) : [])]
}

/** Returns the exit code. */
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

/** Reports what fails before there is an application to run. Returns the exit code. */
export async function reportingFailure(
  program: string,
  cli: Cli,
  act: () => Promise<number>,
): Promise<number> {
  try {
    return await act()
  } catch (error) {
    cli.process.stderr.write(`${formatError(error, program)}\n`)
    return 1
  }
}

/** What happened and what to do next. What the system refuses is no bug; a bug keeps its stack, which belongs in the report. */
export function formatError(error: unknown, program: string, colour = false): string {
  if (error instanceof EntireError) return formatFailure(error.message, error.hint, colour)
  const reason = systemReason(error)
  if (reason !== undefined)
    return formatFailure(...systemFailure(error as NodeJS.ErrnoException, reason), colour)
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return formatFailure(
    `This is a bug in ${program}. ${stack}`,
    'Please report it with the lines above.',
    colour,
  )
}

function systemFailure({ path, syscall, code }: NodeJS.ErrnoException, reason: string): [string, string] {
  const subject = path ?? `The system call ${syscall ?? ''}`.trimEnd()
  return [
    `${subject}: ${reason} (${[code, syscall].filter(Boolean).join(', ')}).`,
    'Solve the problem and run the command again.',
  ]
}

// Stricli paints the whole text red; only the label should be. Names in the message may come from strangers.
function formatFailure(message: string, hint: string | undefined, colour = false): string {
  const plain = colour ? '\x1b[39m\x1b[22m' : ''
  return `error:${plain} ${cleanLines(message)}${hint === undefined ? '' : `\nhint: ${cleanLines(hint)}`}`
}
