// `entire session …`: look at sessions and manage them.

import { buildRouteMap } from '@stricli/core'
import { formatManual } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import { sessionResumeCommand } from '../resume/resume.ts'
import { sessionAttachCommand } from './attach.ts'
import { sessionCurrentCommand, sessionInfoCommand } from './info.ts'
import { sessionListCommand } from './list.ts'
import { sessionStopCommand } from './stop.ts'
import { sessionTokensCommand } from './tokens.ts'

export const sessionCommands = buildRouteMap<string, Cli>({
  routes: {
    list: sessionListCommand,
    info: sessionInfoCommand,
    current: sessionCurrentCommand,
    stop: sessionStopCommand,
    attach: sessionAttachCommand,
    resume: sessionResumeCommand,
    tokens: sessionTokensCommand,
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
