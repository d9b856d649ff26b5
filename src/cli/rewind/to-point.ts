// Going to a point that was named on the command line: what kind it is decides how.
import { EntireError } from '../../std/errors.ts'
import { shortId } from './points.ts'
import { type Going, goToOwnCommit, resetBranch, restoreLogsOf } from './to-commit.ts'
import { goToStep, restoreLogOfStep } from './to-step.ts'

export async function goToPoint(going: Going, how: 'all' | 'logs' | 'reset'): Promise<void> {
  const { cli, recorder, objects, point, options } = going
  const isCommit = point.checkpoint !== undefined
  if (how === 'reset') {
    if (!isCommit)
      throw new EntireError('bad-usage', `${shortId(point.id)} is a step, not a commit: there is nothing to move the branch to.`, {
        hint: `\`entire rewind --to ${shortId(point.id)}\` restores its files.`,
      })
    return resetBranch(going)
  }
  if (!isCommit) return how === 'logs' ? restoreLogOfStep(cli, recorder, objects, point, options) : goToStep(cli, recorder, point, options)
  if (how === 'all' && !point.isLogsOnly) return goToOwnCommit(going)
  await restoreLogsOf(going)
  if (!options.dryRun && !options.json) cli.out('Note: Working directory unchanged. Use interactive mode for full checkout.')
}
