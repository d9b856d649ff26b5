// `piglet ext …`: everything one can do with extensions.
import { buildRouteMap } from '@stricli/core'
import type { Cli } from '../context.ts'
import { formatManual } from '../manual.ts'
import { callCommand } from './call-command.ts'
import { checkCommand } from './check-command.ts'
import { infoCommand } from './info-command.ts'
import { listCommand } from './list-command.ts'
import { logsCommand } from './logs-command.ts'
import { newCommand } from './new-command.ts'
import { recordCommand } from './record-command.ts'
import { replayCommand } from './replay-command.ts'
import { runCommand } from './run-command.ts'
import { topCommand } from './top-command.ts'
import { trustCommand } from './trust-command.ts'

export const extensionCommands = buildRouteMap<string, Cli>({
  routes: {
    list: listCommand,
    info: infoCommand,
    new: newCommand,
    check: checkCommand,
    call: callCommand,
    run: runCommand,
    trust: trustCommand,
    logs: logsCommand,
    top: topCommand,
    record: recordCommand,
    replay: replayCommand,
  },
  docs: {
    brief: 'List, try, check, watch and write extensions',
    fullDescription: formatManual({
      text: ['Extensions are found in <config>/extensions and, when the project is trusted, in .piglet/extensions.'],
      examples: [
        ['piglet ext list', 'which there are'],
        ['piglet ext call greet \'{"name": "you"}\'', 'run a tool'],
        ['piglet ext check .', 'check the one you are working on'],
      ],
    }),
  },
})
