// Defines what one run of `entire rewind` works with, and describes what a rewind does to files.

import { realpathSync } from 'node:fs'
import { relative } from 'node:path'
import type { ObjectReader } from '../../git/cat-file.ts'
import type { Repo } from '../../git/repo.ts'
import type { RewindOptions } from '../../rewind/locked-worktree.ts'
import { isEmptyPlan, type RewindPlan, type SkippedPath, type SkipReason } from '../../rewind/plan.ts'
import type { RewindPoint } from '../../rewind/points.ts'
import type { FilePlan } from '../../rewind/rewind.ts'
import type { Recorder } from '../../sessions/event-work.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'

export interface RewindRun {
  cli: Cli
  recorder: Recorder
  objects: ObjectReader
  point: RewindPoint
  options: RewindCommandOptions
}

export interface RewindCommandOptions extends RewindOptions {
  json: boolean
  /** Reset without asking. */
  force: boolean
  /** What the person can call to bring back what this takes away. */
  broughtBackBy?: string
}

/** The flags that every command with a plan has. */
export interface PlanFlags {
  everything?: boolean
  force?: boolean
  dryRun?: boolean
  json?: boolean
}

export function planOptions(cli: Cli, repo: Repo, flags: PlanFlags): RewindCommandOptions {
  return {
    dryRun: flags.dryRun === true,
    json: flags.json === true,
    force: flags.force === true,
    everything: flags.everything === true,
    cwdInRepo: relative(repo.root, realpathSync(cli.cwd)) || undefined,
  }
}

const reasons: Record<SkipReason, string> = {
  'changed-only-by-you': 'only you changed it; --everything restores it',
  'not-made-by-a-session': 'not created by a session',
  'not-in-the-step': 'not in the step: it was too large or unreadable',
  'of-an-agent': "in an agent's own directory",
  'something-in-the-way': 'something else is in its place',
  'no-copy-possible': 'too large or unreadable to keep a copy of',
}

const mostShown = 50

/** For a dry run. */
export function planLines(plan: RewindPlan & Partial<FilePlan>): string[] {
  const lines = [
    ...plan.restore.map((path) => `  ${plan.merged?.has(path) ? 'Merge' : 'Restore'}: ${named(path, plan)}`),
    ...plan.remove.map((path) => `  Delete: ${clean(path)}`),
    ...skippedLines(plan.skip),
  ]
  return isEmptyPlan(plan) ? [...lines, 'Nothing differs: no file would change.'] : lines
}

/** After the rewind. */
export function noteFiles(cli: Cli, plan: RewindPlan & Partial<FilePlan>): void {
  for (const path of plan.remove) cli.note(`  Deleted: ${named(path, plan)}`)
  for (const path of plan.restore)
    cli.note(`  ${plan.merged?.has(path) ? 'Merged' : 'Restored'}: ${named(path, plan)}`)
  for (const line of skippedLines(plan.skip.filter(({ reason }) => reason !== 'not-made-by-a-session')))
    cli.note(line)
}

function named(path: string, { conflicts = [] }: Partial<FilePlan>): string {
  const note = ' (your changes are in the same place; `entire rewind --undo` has them)'
  return `${clean(path)}${conflicts.includes(path) ? note : ''}`
}

/** Before the user is asked. */
export function notePreview(cli: Cli, plan: RewindPlan): void {
  for (const path of plan.restore) cli.note(`  ${clean(path)}`)
  for (const line of skippedLines(plan.skip)) cli.note(line)
  if (plan.remove.length === 0) return
  cli.note('\nWarning: The following files will be DELETED:')
  for (const path of plan.remove) cli.note(`  - ${clean(path)}`)
}

function skippedLines(skipped: SkippedPath[]): string[] {
  const lines = skipped
    .slice(0, mostShown)
    .map(({ path, reason }) => `  Keep: ${clean(path)} (${reasons[reason]})`)
  return skipped.length > mostShown ? [...lines, `  Keep: ${skipped.length - mostShown} more`] : lines
}
