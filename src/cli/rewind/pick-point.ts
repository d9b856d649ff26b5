// Lets the user pick a point on a terminal, previews the rewind, and runs it if the user agrees.

import type { RewindPoint } from '../../rewind/points.ts'
import { rewindTo } from '../../rewind/rewind.ts'
import { choose, confirm } from '../ask.ts'
import { clean, fit } from '../render/text.ts'
import { labelPoint, shortId } from './points.ts'
import type { RewindRun } from './rewind-run.ts'
import { notePreview } from './rewind-run.ts'
import { checkOutCommit, resetBranch, resetToAutoCommit, restoreLogsOfCommit } from './to-commit.ts'
import { goToStep } from './to-point.ts'

const cancelled = 'Rewind cancelled.'
const noTerminalHint = '`entire rewind --list` shows the points, `entire rewind --to <id>` goes to one.'
// The columns that the prompt takes before each choice.
const margin = 6

export async function pickPoint(context: Omit<RewindRun, 'point'>, points: RewindPoint[]): Promise<void> {
  const { cli } = context
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
    message: 'Select a point to rewind to',
    detail: 'Takes back what the agent did since then; files that only you changed stay.',
    noTerminalHint,
  }
  const chosen = await choose(cli, question, [...choices, { value: 'cancel', label: 'Cancel' }])
  const point = points.find(({ id }) => id === chosen)
  if (point === undefined) return cli.out(cancelled)
  cli.out(`\nSelected: ${shortId(point.id)} ${clean(point.message)}`)
  const run: RewindRun = { ...context, point }
  if (point.isLogsOnly) return chooseForCommit(run)
  return point.checkpoint === undefined ? confirmStep(run) : confirmAutoCommit(run)
}

async function confirmStep(run: RewindRun): Promise<void> {
  const { cli, recorder, point } = run
  notePreview(cli, await rewindTo(recorder, point, { dryRun: true }))
  const note = 'What is replaced is kept: `entire rewind --undo` restores it.'
  await ((await isConfirmed(run, note)) ? goToStep(run) : cli.out(cancelled))
}

async function confirmAutoCommit(run: RewindRun): Promise<void> {
  const note = 'The branch moves, too; `entire rewind --undo` moves it back.'
  await ((await isConfirmed(run, note)) ? resetToAutoCommit(run) : run.cli.out(cancelled))
}

async function isConfirmed({ cli, point }: RewindRun, note: string): Promise<boolean> {
  const detail = `This will reset to: ${clean(point.message)}\n${note}`
  return confirm(cli, { message: `Reset to ${shortId(point.id)}?`, detail, noTerminalHint })
}

const actions = {
  logs: { label: 'Restore logs only (keep current files)', run: restoreLogsOfCommit },
  checkout: { label: 'Checkout commit (detached HEAD, for viewing)', run: checkOutCommit },
  reset: { label: 'Reset branch to this commit (destructive!)', run: resetBranch },
  cancel: { label: 'Cancel', run: async ({ cli }: RewindRun) => cli.out(cancelled) },
}

async function chooseForCommit(run: RewindRun): Promise<void> {
  const choices = Object.entries(actions).map(([value, { label }]) => ({
    value: value as keyof typeof actions,
    label,
  }))
  const question = {
    message: `Commit ${shortId(run.point.id)}`,
    detail: 'This commit has session logs but no step. Choose an action:',
    noTerminalHint,
  }
  await actions[(await choose(run.cli, question, choices)) ?? 'cancel'].run(run)
}
