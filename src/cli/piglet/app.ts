// `piglet`: the command line as a tree of commands.
import { type Application, buildRouteMap } from '@stricli/core'
import { makeApplication, runApplication } from '../application.ts'
import { type Cli, systemContext } from '../context.ts'
import { formatManual } from '../manual.ts'
import { extensionCommands } from './ext-commands.ts'

/** For running and for the generated reference. */
export function buildPiglet(inputs: readonly string[] = []): Application<Cli> {
  const root = buildRouteMap<string, Cli>({
    routes: { ext: extensionCommands },
    docs: {
      brief: 'Run extensions of coding agents, and write them',
      fullDescription: formatManual({
        text: [
          'piglet runs extensions: long-lived programs that offer tools, commands, prompts, hooks and models over protocol v5.',
          'Settings are in $XDG_CONFIG_HOME/piglet, or ~/.config/piglet.',
          'Exit codes: 0 done, 1 failed, 2 used wrongly. Environment: NO_COLOR=1 plain output, ACCESSIBLE=1 plain prompts.',
        ],
        examples: [
          ['piglet ext list', 'which extensions there are'],
          ['piglet ext new notes', 'begin one'],
          ['piglet ext check ./notes', 'see whether it does everything right'],
        ],
      }),
    },
  })
  return makeApplication('piglet', root, inputs)
}

export async function runPiglet(args: string[], cli: Cli = systemContext()): Promise<number> {
  // `piglet help ext` is what people type first.
  const inputs = args.length === 0 ? ['--help'] : args[0] === 'help' ? [...args.slice(1), '--help'] : args
  return await runApplication(buildPiglet(inputs), inputs, cli)
}
