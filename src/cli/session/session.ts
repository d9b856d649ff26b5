// Defines `entire session`, which shows and manages sessions.

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
    brief: 'Show and manage sessions',
    fullDescription: formatManual({
      text: [
        'A session is a conversation with a coding agent in this repository. Name it by its id or a prefix of it.',
      ],
      examples: [
        ['entire session list', 'the newest sessions'],
        ['entire session info 6f3c0e5', 'one session'],
        ['entire session stop --all', 'end sessions whose agents are gone'],
      ],
    }),
  },
})
