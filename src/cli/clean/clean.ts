// `entire clean`: remove what no session needs any more, and bring it back if that was a mistake.

import { buildCommand } from '@stricli/core'
import { EntireError } from '../../std/errors.ts'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { type CleanFlags, runClean, undoClean } from './run.ts'

export const cleanCommand = buildCommand<CleanFlags & { undo?: boolean }, [], Cli>({
  async func(flags) {
    if (flags.all && flags.session !== undefined)
      throw new EntireError('bad-usage', '--all and --session cannot be used together')
    if (flags.undo && (flags.all || flags.session !== undefined || flags.dryRun))
      throw new EntireError('bad-usage', '--undo stands alone: it brings back what was removed last.')
    const repo = requireRepo(this, 'clean')
    await (flags.undo ? undoClean(this, repo, flags.json === true) : runClean(this, repo, flags))
  },
  parameters: {
    flags: {
      force: switchFlag('Do not ask'),
      all: switchFlag(
        'Not only what stands on HEAD: every work tree, every branch, and leftovers of dead turns',
      ),
      dryRun: switchFlag('Say what would be removed, and remove nothing'),
      session: valueFlag('id', 'Only this session, even if it is in use'),
      undo: switchFlag('Bring back what clean, reset or doctor removed last'),
      json: switchFlag('Print JSON'),
    },
    aliases: { f: 'force', a: 'all', d: 'dryRun' },
  },
  docs: {
    brief: 'Remove what no session needs any more',
    fullDescription: formatManual({
      text: [
        'Removes states of sessions that are over and shadow branches nobody has steps on; without --all, those of the current commit.',
        'Sessions that go on, and work that is not committed yet, are kept and listed with the reason, unless --session names them.',
        'Checkpoints are never removed. What is removed is kept for 30 days: --undo brings it back.',
      ],
      examples: [
        ['entire clean --dry-run', 'what would go'],
        ['entire clean --all', 'tidy up everything'],
        ['entire clean --session 5e551010', 'give up one session'],
        ['entire clean --undo', 'take the last removal back'],
      ],
    }),
  },
})
