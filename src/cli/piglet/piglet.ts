// Runs `piglet`, and defines its commands: `piglet ext` for extensions.

import { type Application, buildRouteMap } from '@stricli/core'
import { makeApplication, runApplication } from '../command-line.ts'
import { formatManual } from '../command-parts.ts'
import { type Cli, systemContext } from '../context.ts'
import { type TextWidths, widthsOf } from '../wrap-help.ts'
import { extCallCommand, extRunCommand } from './call-and-run.ts'
import { extCheckCommand, extNewCommand } from './check-and-new.ts'
import { extInfoCommand, extListCommand } from './list-and-info.ts'
import { extLogsCommand } from './logs.ts'
import { extRecordCommand, extReplayCommand } from './record-and-replay.ts'
import { extTopCommand } from './top.ts'
import { extTrustCommand } from './trust.ts'

/** Also used to generate the reference. */
export function buildPiglet(inputs: readonly string[] = [], widths?: TextWidths): Application<Cli> {
  const root = buildRouteMap<string, Cli>({
    routes: { ext: extCommands },
    docs: {
      brief: 'Run and write extensions of coding agents',
      fullDescription: formatManual({
        text: [
          'piglet runs extensions: long-lived programs that offer tools, commands, prompts, hooks and models over protocol v5.',
          'Settings are in $XDG_CONFIG_HOME/piglet, or ~/.config/piglet.',
          'Exit codes: 0 success, 1 failure, 2 wrong usage. Environment: NO_COLOR=1 plain output, ACCESSIBLE=1 plain prompts.',
        ],
        examples: [
          ['piglet ext list', 'the installed extensions'],
          ['piglet ext new notes', 'create one'],
          ['piglet ext check ./notes', 'check that it follows the protocol'],
        ],
      }),
    },
  })
  return makeApplication('piglet', root, inputs, widths)
}

export async function runPiglet(args: string[], cli: Cli = systemContext()): Promise<number> {
  // Accept `piglet help ext`, too.
  const inputs = args.length === 0 ? ['--help'] : args[0] === 'help' ? [...args.slice(1), '--help'] : args
  return await runApplication(buildPiglet(inputs, widthsOf(cli)), inputs, cli)
}

const extCommands = buildRouteMap<string, Cli>({
  routes: {
    list: extListCommand,
    info: extInfoCommand,
    new: extNewCommand,
    check: extCheckCommand,
    call: extCallCommand,
    run: extRunCommand,
    trust: extTrustCommand,
    logs: extLogsCommand,
    top: extTopCommand,
    record: extRecordCommand,
    replay: extReplayCommand,
  },
  docs: {
    brief: 'List, try, check, watch and write extensions',
    fullDescription: formatManual({
      text: [
        'Extensions are found in <config>/extensions and, when the project is trusted, in .piglet/extensions.',
      ],
      examples: [
        ['piglet ext list', 'the installed extensions'],
        ['piglet ext call greet \'{"name": "you"}\'', 'run a tool'],
        ['piglet ext check .', 'check the one in this directory'],
      ],
    }),
  },
})
