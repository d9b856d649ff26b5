// Undoes or redoes a rewind, and reports what was done.

import type { Direction } from '../../rewind/safety-step.ts'
import { type UndoReport, undoOrRedo } from '../../rewind/undo.ts'
import type { Recorder } from '../../sessions/event-work.ts'
import { formatJson, type JsonObject } from '../../std/json.ts'
import { countOf } from '../../std/plural.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'
import { shortId } from './points.ts'
import type { RewindCommandOptions } from './rewind-run.ts'
import { noteFiles, planLines } from './rewind-run.ts'

export async function runUndo(
  cli: Cli,
  recorder: Recorder,
  direction: Direction,
  options: RewindCommandOptions,
): Promise<void> {
  const report = await undoOrRedo(recorder, direction, options)
  if (options.json) return void cli.process.stdout.write(formatJson(reportJson(report, options)))
  if (!options.dryRun) return printReport(cli, options.asRedo ? asRedo : words[direction], report)
  const branch =
    report.branch !== undefined && report.head === 'moved' ? [`  Reset: ${branchLine(report)}`] : []
  for (const line of [...planLines(report), ...branch, 'Dry run: nothing was changed.']) cli.out(line)
}

interface Words {
  done: string
  again: string
  back: string
}

const words: Record<Direction, Words> = {
  undo: {
    done: 'Undone',
    again: 'entire rewind --undo',
    back: '`entire rewind --redo` reverses this undo.',
  },
  redo: { done: 'Redone', again: 'entire rewind --redo', back: '`entire rewind --undo` undoes this.' },
}

const asRedo: Words = {
  done: 'Redone',
  again: 'entire redo',
  back: '`entire undo` takes the turn back once more.',
}

function printReport(cli: Cli, { done, again, back }: Words, report: UndoReport): void {
  noteFiles(cli, report)
  if (report.head === 'moved' && report.branch !== undefined) cli.out(`Moved ${branchLine(report)}.`)
  if (report.head === 'elsewhere' && report.branch !== undefined)
    cli.note(
      `Note: The files were restored, but the branch was not moved, because it has changed since. ${nameOf(report.branch.ref)} was at ${shortId(report.branch.before)}; ` +
        `\`git reset --soft ${shortId(report.branch.before)}\` moves it there. Staged changes were left alone.`,
    )
  else if (report.head === undefined && report.base !== report.at.oid)
    cli.note(
      `Note: HEAD was at ${shortId(report.base)} then and is at ${shortId(report.at.oid)} now; only files were restored.`,
    )
  if (report.index === false)
    cli.note('Note: The index was not restored: another git process holds it, or its copy is gone.')
  for (const { path, isRestored } of report.logs)
    cli.note(
      isRestored
        ? `Restored the session log: ${clean(path)}`
        : `Note: The session log has changed since and was not restored: ${clean(path)}`,
    )
  if (report.isPartial)
    cli.note(`Note: Move the files that are in the way, then run \`${again}\` again for the rest.`)
  const count = report.restore.length + report.remove.length
  cli.out(`${done}: ${countOf(count, 'file')} changed.`)
  cli.note(back)
}

function branchLine({ branch }: UndoReport): string {
  return branch === undefined
    ? ''
    : `${nameOf(branch.ref)} from ${shortId(branch.after)} to ${shortId(branch.before)}`
}

function nameOf(ref: string): string {
  return clean(ref.replace('refs/heads/', ''))
}

function reportJson(report: UndoReport, { dryRun }: RewindCommandOptions): JsonObject {
  const { of, restore, remove, skip: keep, head, branch, logs, isPartial } = report
  return {
    of,
    dry_run: dryRun,
    restore,
    remove,
    keep: keep.map(({ path, reason }) => ({ path, reason })),
    ...(head === undefined || branch === undefined
      ? {}
      : { head: { ref: branch.ref, before: branch.after, after: branch.before, state: head } }),
    logs: logs.map(({ session, path, isRestored: isBack }) => ({
      session_id: session,
      path,
      is_back: isBack,
    })),
    is_partial: isPartial,
  }
}
