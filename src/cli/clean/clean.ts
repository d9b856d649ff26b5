// `entire clean`: removes sessions and steps that are no longer needed, and restores them with --undo.

import { buildCommand } from '@stricli/core'
import { cannotCombine } from '../../std/errors.ts'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { type CleanFlags, runClean, undoClean } from './run.ts'

export const cleanCommand = buildCommand<CleanFlags & { undo?: boolean }, [], Cli>({
  async func(flags) {
    const scopes = [...(flags.all ? ['--all'] : []), ...(flags.session === undefined ? [] : ['--session'])]
    if (scopes.length > 1) throw cannotCombine(scopes)
    const others = [...scopes, ...(flags.dryRun ? ['--dry-run'] : [])]
    if (flags.undo && others.length > 0) throw cannotCombine(['--undo', ...others])
    const repo = requireRepo(this, 'clean')
    await (flags.undo ? undoClean(this, repo, flags.json === true) : runClean(this, repo, flags))
  },
  parameters: {
    flags: {
      force: switchFlag('Do not ask'),
      all: switchFlag('Include every commit and work tree, and leftovers of turns whose agent died'),
      dryRun: switchFlag('Show what would be removed, and remove nothing'),
      session: valueFlag('id', 'Remove only this session, even if it is in use'),
      undo: switchFlag('Restore what clean, reset or doctor removed last'),
      json: switchFlag('Print JSON'),
    },
    aliases: { f: 'force', a: 'all', d: 'dryRun' },
  },
  docs: {
    brief: 'Remove sessions and steps that are no longer needed',
    fullDescription: formatManual({
      text: [
        'Removes ended sessions, and steps that belong to no session. Without --all, only those of the current commit.',
        'Running sessions and uncommitted work are kept and listed with the reason, unless --session names the session.',
        'Checkpoints are never removed. Removed items are kept for 30 days; --undo restores them.',
      ],
      examples: [
        ['entire clean --dry-run', 'show what would be removed'],
        ['entire clean --all', 'clean up everything'],
        ['entire clean --session 5e551010', 'remove one session'],
        ['entire clean --undo', 'undo the last removal'],
      ],
    }),
  },
})
