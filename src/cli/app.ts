// The command line as a tree of commands. Exit codes: 0 done, 1 failed, 2 used wrongly.

import { type Application, buildApplication, buildRouteMap, ExitCode, run, text_en } from '@stricli/core'
import { EntireError } from '../std/errors.ts'
import { version } from '../std/version.ts'
import { disableCommand } from './commands/disable.ts'
import { enableCommand } from './commands/enable.ts'
import { explainCommand } from './commands/explain.ts'
import { rewindCommand } from './commands/rewind.ts'
import { statusCommand } from './commands/status.ts'
import { versionCommand } from './commands/version.ts'
import { type Cli, systemContext } from './context.ts'
import { hookEntryCommand } from './hook-entry.ts'
import { formatManual } from './manual.ts'
import { formatError, formatFailure } from './render/error.ts'

const root = buildRouteMap<string, Cli>({
  routes: {
    enable: enableCommand,
    disable: disableCommand,
    status: statusCommand,
    explain: explainCommand,
    rewind: rewindCommand,
    version: versionCommand,
    hooks: hookEntryCommand,
  },
  docs: {
    brief: 'Record coding-agent sessions as git checkpoints',
    fullDescription: formatManual({
      text: [
        'entire records what coding agents do in a git repository: prompts, transcripts and snapshots of the files,',
        'linked to your commits. Nothing leaves the machine except to the git remote you push to.',
        '',
        'Exit codes: 0 done, 1 failed, 2 used wrongly.',
        'Environment: NO_COLOR=1 plain output, ACCESSIBLE=1 plain prompts, ENTIRE_LOG_LEVEL=debug detailed log.',
      ],
      examples: [
        ['entire enable', 'set up this repository'],
        ['entire status', 'see what is being recorded'],
        ['entire explain', 'list the checkpoints of this branch'],
        ['entire help enable', 'read about one command'],
      ],
    }),
  },
})

/** One application, for running and for the generated reference. */
export function buildCli(inputs: readonly string[] = []): Application<Cli> {
  const help = ['entire', ...inputs.filter((input) => !input.startsWith('-')).slice(0, 1), '--help'].join(' ')
  const usage = (message: string, colour: boolean, where: string) =>
    formatFailure(message, `Run \`${where}\` to see what there is.`, colour)
  return buildApplication<Cli>(root, {
    name: 'entire',
    versionInfo: { currentVersion: version },
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
    localization: {
      text: {
        ...text_en,
        noCommandRegisteredForInput: (args) => usage(`${text_en.noCommandRegisteredForInput(args)}`, args.ansiColor, 'entire --help'),
        exceptionWhileParsingArguments: (error, colour) => usage(text_en.exceptionWhileParsingArguments(error, colour), colour, help),
        exceptionWhileLoadingCommandFunction: formatError,
        exceptionWhileLoadingCommandContext: formatError,
        exceptionWhileRunningCommand: formatError,
        commandErrorResult: formatError,
      },
    },
    determineExitCode: (error) => (error instanceof EntireError && error.code === 'bad-usage' ? 2 : 1),
  })
}

export async function runCli(args: string[], cli: Cli = systemContext()): Promise<number> {
  // `entire help enable` is what people type first.
  const inputs = args[0] === 'help' ? [...args.slice(1), '--help'] : args
  await run(buildCli(inputs), inputs, cli)
  const code = Number(cli.process.exitCode ?? 0)
  if (code === ExitCode.UnknownCommand || code === ExitCode.InvalidArgument) return 2
  return code < 0 ? 1 : code
}
