// Defines `entire session attach`, which stores an unrecorded session in the last commit's checkpoint.

import { buildCommand } from '@stricli/core'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import type { AttachFlags } from './attach-run.ts'
import { idParameter } from './find-session.ts'

export const sessionAttachCommand = buildCommand<AttachFlags, [string], Cli>({
  loader: async () => (await import('./attach-run.ts')).runAttach,
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [idParameter('Id of the session in its agent, or a prefix of it')],
    },
    flags: {
      agent: valueFlag('name', 'Agent of the session (default: all agents are tried)'),
      force: switchFlag('Amend the last commit without asking'),
    },
    aliases: { a: 'agent', f: 'force' },
  },
  docs: {
    brief: 'Attach a session that was not recorded',
    fullDescription: formatManual({
      text: [
        'Redacts the transcript of a session that ran without hooks, and stores it in the checkpoint of the last commit, which is created',
        'if it does not exist. On a terminal you are asked whether to amend the commit with the trailer; otherwise, and whenever the commit',
        'has been pushed or changes are staged, the commit is linked by a note and not changed.',
      ],
      examples: [
        ['entire session attach 6f3c0e52-8f0e-4a54-9a13-5a3f1f0a7c11', 'to the last commit'],
        ['entire session attach 6f3c0e5 --agent gemini', 'a session of this agent'],
        ['entire session attach 6f3c0e5 --force', 'amend without being asked'],
      ],
    }),
  },
})
