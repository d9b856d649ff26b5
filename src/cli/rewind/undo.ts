// Undo and redo, and what is said about them.

import { type UndoReport, undoOrRedo } from '../../rewind/undo.ts'
import type { Direction } from '../../rewind/undo-stacks.ts'
import type { Recorder } from '../../sessions/work.ts'
import { formatJson, type JsonObject } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'
import { noteFiles, planLines, shortId } from './points.ts'
import type { RewindCommandOptions } from './to-step.ts'

export async function runUndo(
  cli: Cli,
  recorder: Recorder,
  direction: Direction,
  options: RewindCommandOptions,
): Promise<void> {
  const report = await undoOrRedo(recorder, direction, options)
  if (options.json) return void cli.process.stdout.write(formatJson(describe(report, options)))
  if (!options.dryRun) return tell(cli, direction, report)
  const branch =
    report.branch !== undefined && report.head === 'moved' ? [`  Reset: ${branchLine(report)}`] : []
  for (const line of [...planLines(report), ...branch, 'Dry run: nothing was changed.']) cli.out(line)
}

function tell(cli: Cli, direction: Direction, report: UndoReport): void {
  noteFiles(cli, report)
  if (report.head === 'moved' && report.branch !== undefined) cli.out(`Moved ${branchLine(report)}.`)
  if (report.head === 'elsewhere' && report.branch !== undefined)
    cli.note(
      `Note: The files are back, but the branch was not moved: it is no longer where it was left. ${nameOf(report.branch.ref)} was at ${shortId(report.branch.before)}; ` +
        `\`git reset --soft ${shortId(report.branch.before)}\` goes there. What was staged was left as it is.`,
    )
  else if (report.head === undefined && report.base !== report.at.oid)
    cli.note(
      `Note: HEAD was at ${shortId(report.base)} then and is at ${shortId(report.at.oid)} now; only files were put back.`,
    )
  if (report.index === false)
    cli.note('Note: The index was left as it is: another git process holds it, or its copy is gone.')
  for (const { path, isRestored: isBack } of report.logs)
    cli.note(
      isBack
        ? `The session log is back: ${clean(path)}`
        : `Note: The session log has changed since and was left as it is: ${clean(path)}`,
    )
  if (report.isPartial)
    cli.note(`Note: Move what is in the way, then run \`entire rewind --${direction}\` again for the rest.`)
  const count = report.restore.length + report.remove.length
  cli.out(
    `${direction === 'undo' ? 'Undone' : 'Done again'}: ${count} file${count === 1 ? '' : 's'} changed.`,
  )
  cli.note(`\`entire rewind --${direction === 'undo' ? 'redo' : 'undo'}\` takes it back.`)
}

function branchLine({ branch }: UndoReport): string {
  return branch === undefined
    ? ''
    : `${nameOf(branch.ref)} from ${shortId(branch.after)} to ${shortId(branch.before)}`
}

function nameOf(ref: string): string {
  return clean(ref.replace('refs/heads/', ''))
}

function describe(report: UndoReport, { dryRun }: RewindCommandOptions): JsonObject {
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
