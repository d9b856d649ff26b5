// Choosing a point at the terminal: look, choose, see what would happen, say yes.

import type { ObjectReader } from '../../git/cat-file.ts'
import type { RewindPoint } from '../../rewind/points.ts'
import { rewindTo } from '../../rewind/rewind.ts'
import type { Recorder } from '../../sessions/work.ts'
import { choose, confirm } from '../ask.ts'
import type { Cli } from '../context.ts'
import { clean, fit } from '../render/text.ts'
import { labelPoint, notePreview, shortId } from './points.ts'
import { checkOutCommit, goToOwnCommit, type RewindRun, resetBranch, restoreLogsOf } from './to-commit.ts'
import { goToStep, type RewindCommandOptions } from './to-step.ts'

const cancelled = 'Rewind cancelled.'
const noTerminalHint = '`entire rewind --list` shows the points, `entire rewind --to <id>` goes to one.'
// What the prompt puts before a choice.
const margin = 6

export async function pickPoint(
  cli: Cli,
  recorder: Recorder,
  objects: ObjectReader,
  points: RewindPoint[],
  options: RewindCommandOptions,
): Promise<void> {
  if (points.length === 0) {
    cli.out('No rewind points found.')
    return cli.out('Rewind points are created automatically when agent sessions end.')
  }
  const { columns } = cli.size()
  const choices = points.map((point) => ({
    value: point.id,
    label: fit(labelPoint(point, points), columns - margin),
  }))
  const question = {
    message: 'Select a checkpoint to restore',
    detail: "Your working directory will be restored to this checkpoint's state",
    noTerminalHint,
  }
  const chosen = await choose(cli, question, [...choices, { value: 'cancel', label: 'Cancel' }])
  const point = points.find(({ id }) => id === chosen)
  if (point === undefined) return cli.out(cancelled)
  cli.out(`\nSelected: ${shortId(point.id)} ${clean(point.message)}`)
  const going: RewindRun = { cli, recorder, objects, point, options }
  if (point.isLogsOnly) return chooseForCommit(going)
  return point.checkpoint === undefined ? confirmStep(going) : confirmOwnCommit(going)
}

async function confirmStep({ cli, recorder, point, options }: RewindRun): Promise<void> {
  notePreview(cli, await rewindTo(recorder, point, { dryRun: true }))
  const detail = `This will reset to: ${clean(point.message)}\nWhat is replaced is kept: \`entire rewind --undo\` brings it back.`
  if (!(await confirm(cli, { message: `Reset to ${shortId(point.id)}?`, detail, noTerminalHint })))
    return cli.out(cancelled)
  await goToStep(cli, recorder, point, options)
}

async function confirmOwnCommit(going: RewindRun): Promise<void> {
  const { cli, point } = going
  const detail = `This will reset to: ${clean(point.message)}\nThe branch moves, too; \`entire rewind --undo\` brings it back.`
  if (!(await confirm(cli, { message: `Reset to ${shortId(point.id)}?`, detail, noTerminalHint })))
    return cli.out(cancelled)
  await goToOwnCommit(going)
}

const actions = {
  logs: {
    label: 'Restore logs only (keep current files)',
    run: async (going: RewindRun) => void (await restoreLogsOf(going)),
  },
  checkout: { label: 'Checkout commit (detached HEAD, for viewing)', run: checkOutCommit },
  reset: { label: 'Reset branch to this commit (destructive!)', run: resetBranch },
  cancel: { label: 'Cancel', run: async ({ cli }: RewindRun) => cli.out(cancelled) },
}

async function chooseForCommit(going: RewindRun): Promise<void> {
  const choices = Object.entries(actions).map(([value, { label }]) => ({
    value: value as keyof typeof actions,
    label,
  }))
  const question = {
    message: `Logs-only point: ${shortId(going.point.id)}`,
    detail: 'This commit has session logs but no checkpoint state. Choose an action:',
    noTerminalHint,
  }
  await actions[(await choose(going.cli, question, choices)) ?? 'cancel'].run(going)
}
