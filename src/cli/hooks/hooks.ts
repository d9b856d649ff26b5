// Defines `entire hooks` for the help. Real calls of hooks bypass the parser: bin/entire.ts calls run-hook.ts.

import { buildCommand } from '@stricli/core'
import { formatManual } from '../command-parts.ts'
import type { Cli } from '../context.ts'

export const hooksCommand = buildCommand<Record<never, never>, string[], Cli>({
  async func(_flags, ...args) {
    const { runHook } = await import('./run-hook.ts')
    this.process.exitCode = await runHook(args)
  },
  parameters: {
    positional: {
      kind: 'array',
      minimum: 2,
      parameter: {
        brief: 'The caller (an agent or `git`), the name of the hook, and its arguments',
        parse: String,
        placeholder: 'hook',
      },
    },
  },
  docs: {
    brief: 'Handle a hook of an agent or of git',
    fullDescription: formatManual({
      text: [
        'Called by the hooks that `entire enable` installs; you do not need to call it yourself. An agent sends its payload as JSON',
        'on standard input. A hook never makes the agent or the commit fail: problems are written to .git/entire-logs/entire.log.',
        'Only a push that would publish steps is stopped.',
      ],
      examples: [
        ["echo '{…}' | entire hooks claude-code stop", 'an agent reports the end of a turn'],
        ['entire hooks git post-commit', 'git reports a commit'],
      ],
    }),
  },
})
