// `entire session attach`: takes in a session that was not recorded while it ran.

import { buildCommand } from '@stricli/core'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import type { AttachFlags } from './attach-run.ts'
import { idParameter } from './info.ts'

export const sessionAttachCommand = buildCommand<AttachFlags, [string], Cli>({
  loader: async () => (await import('./attach-run.ts')).runAttach,
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [idParameter('Id of the session as its agent knows it, or the beginning of it')],
    },
    flags: {
      agent: valueFlag('name', 'Agent the session was held with; absent: every agent is tried'),
      force: switchFlag('Amend the last commit without asking'),
    },
    aliases: { a: 'agent', f: 'force' },
  },
  docs: {
    brief: 'Take in a session that was not recorded',
    fullDescription: formatManual({
      text: [
        'For a session that was held while hooks were off: its transcript is redacted and stored as part of the checkpoint of the last commit.',
        'A commit without checkpoint gets one. On a terminal you are asked whether to amend the commit with the trailer; otherwise, and',
        'always when the commit has been pushed or changes are staged, it is linked by a note and stays as it is.',
      ],
      examples: [
        ['entire session attach 6f3c0e52-8f0e-4a54-9a13-5a3f1f0a7c11', 'to the last commit'],
        ['entire session attach 6f3c0e5 --agent gemini', 'a session of this agent'],
        ['entire session attach 6f3c0e5 --force', 'amend without being asked'],
      ],
    }),
  },
})
