// Goes to the point that `--to` names: to a step, or to a commit.

import { EntireError } from '../../std/errors.ts'
import { shortId } from './points.ts'
import type { RewindRun } from './rewind-run.ts'
import { resetBranch, resetToAutoCommit, restoreLogsOfCommit } from './to-commit.ts'
import { goToStep, restoreLogOfStep } from './to-step.ts'

/** `all`: files and logs. `logs`: only the session logs. `reset`: also the branch. */
export type RewindMode = 'all' | 'logs' | 'reset'

export async function goToPoint(run: RewindRun, mode: RewindMode): Promise<void> {
  const { cli, point, options } = run
  const isCommit = point.checkpoint !== undefined
  if (mode === 'reset') return isCommit ? resetBranch(run) : refuseReset(run)
  if (!isCommit) return mode === 'logs' ? restoreLogOfStep(run) : goToStep(run)
  if (mode === 'all' && !point.isLogsOnly) return resetToAutoCommit(run)
  await restoreLogsOfCommit(run)
  if (!options.dryRun && !options.json)
    cli.out('Note: Working directory unchanged. Use interactive mode for full checkout.')
}

function refuseReset({ point }: RewindRun): never {
  throw new EntireError(
    'bad-usage',
    `${shortId(point.id)} is a step, not a commit: the branch cannot be moved to it.`,
    { hint: `\`entire rewind --to ${shortId(point.id)}\` restores its files.` },
  )
}
