// What a rewind would do or has done to files, in words.
import { isEmptyPlan, type Kept, type KeptReason, type RewindPlan } from '../../checkpoints/rewind-plan.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'

const reasons: Record<KeptReason, string> = {
  'not-made-by-a-session': 'no session made it',
  'of-an-agent': "in an agent's own directory",
  'something-in-the-way': 'something else is in its place',
  'no-copy-possible': 'too large or unreadable to keep a copy of',
}

const shown = 50

/** The answer of a dry run. */
export function planLines(plan: RewindPlan): string[] {
  const lines = [
    ...plan.restore.map((path) => `  Restore: ${clean(path)}`),
    ...plan.remove.map((path) => `  Delete: ${clean(path)}`),
    ...shortened(plan.keep),
  ]
  return isEmptyPlan(plan) ? [...lines, 'Nothing differs: no file would change.'] : lines
}

/** Beside the answer: what happened to which file. */
export function noteFiles(cli: Cli, plan: RewindPlan): void {
  for (const path of plan.remove) cli.note(`  Deleted: ${clean(path)}`)
  for (const path of plan.restore) cli.note(`  Restored: ${clean(path)}`)
  for (const line of shortened(plan.keep.filter(({ reason }) => reason !== 'not-made-by-a-session'))) cli.note(line)
}

/** Before the question. */
export function notePreview(cli: Cli, plan: RewindPlan): void {
  for (const path of plan.restore) cli.note(`  ${clean(path)}`)
  for (const line of shortened(plan.keep)) cli.note(line)
  if (plan.remove.length === 0) return
  cli.note('\nWarning: The following files will be DELETED:')
  for (const path of plan.remove) cli.note(`  - ${clean(path)}`)
}

function shortened(keep: Kept[]): string[] {
  const lines = keep.slice(0, shown).map(({ path, reason }) => `  Keep: ${clean(path)} (${reasons[reason]})`)
  return keep.length > shown ? [...lines, `  Keep: ${keep.length - shown} more`] : lines
}
