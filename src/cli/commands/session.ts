// `entire session …`: look at sessions and manage them.
import { buildRouteMap } from '@stricli/core'
import type { Cli } from '../context.ts'
import { formatManual } from '../manual.ts'
import { attachCommand } from '../session/attach-command.ts'
import { currentCommand, infoCommand } from '../session/info-command.ts'
import { listCommand } from '../session/list-command.ts'
import { stopCommand } from '../session/stop-command.ts'
import { tokensCommand } from '../session/tokens-command.ts'
import { resumeSessionCommand } from './session-resume.ts'

export const sessionCommands = buildRouteMap<string, Cli>({
  routes: {
    list: listCommand,
    info: infoCommand,
    current: currentCommand,
    stop: stopCommand,
    attach: attachCommand,
    resume: resumeSessionCommand,
    tokens: tokensCommand,
  },
  docs: {
    brief: 'Look at sessions and manage them',
    fullDescription: formatManual({
      text: ['Sessions are conversations with a coding agent in this repository. They are named by their id or the beginning of it.'],
      examples: [
        ['entire session list', 'the newest sessions'],
        ['entire session info 6f3c0e5', 'one of them'],
        ['entire session stop --all', 'end those whose agents are gone'],
      ],
    }),
  },
})
