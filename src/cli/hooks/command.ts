// `entire hooks …` for readers of the help: agents and git call it, and the program takes a shorter way to it than through here.

import { buildCommand } from '@stricli/core'
import { formatManual } from '../command-parts.ts'
import type { Cli } from '../context.ts'

export const hookEntryCommand = buildCommand<Record<never, never>, string[], Cli>({
  async func(_flags, ...args) {
    const { runHook } = await import('./hooks.ts')
    this.process.exitCode = await runHook(args)
  },
  parameters: {
    positional: {
      kind: 'array',
      minimum: 2,
      parameter: {
        brief: 'Who calls (an agent or `git`), the name of the hook, and its arguments',
        parse: String,
        placeholder: 'hook',
      },
    },
  },
  docs: {
    brief: 'Entry point for hooks of agents and git',
    fullDescription: formatManual({
      text: [
        'Called by the hooks that `entire enable` installs; there is no need to call it yourself. An agent sends its payload as',
        'JSON on standard input. A hook never fails the agent or the commit: problems are written to .entire/logs/entire.log.',
      ],
      examples: [
        ["echo '{…}' | entire hooks claude-code stop", 'an agent says that a turn ended'],
        ['entire hooks git post-commit', 'git says that a commit was made'],
      ],
    }),
  },
})
