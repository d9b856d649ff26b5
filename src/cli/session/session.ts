// `entire session …`: look at sessions and manage them.

import { buildRouteMap } from '@stricli/core'
import { formatManual } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import { resumeSessionCommand } from '../resume/resume.ts'
import { attachCommand } from './attach.ts'
import { currentCommand, infoCommand } from './info.ts'
import { listCommand } from './list.ts'
import { stopCommand } from './stop.ts'
import { tokensCommand } from './tokens.ts'

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
      text: [
        'Sessions are conversations with a coding agent in this repository. They are named by their id or the beginning of it.',
      ],
      examples: [
        ['entire session list', 'the newest sessions'],
        ['entire session info 6f3c0e5', 'one of them'],
        ['entire session stop --all', 'end those whose agents are gone'],
      ],
    }),
  },
})
