// Going back to a step, and what is said about it.

import type { ObjectReader } from '../../git/cat-file.ts'
import type { RewindOptions } from '../../rewind/locked-worktree.ts'
import { type LogReport, restoreStepLog } from '../../rewind/logs.ts'
import type { RewindPoint } from '../../rewind/points.ts'
import { rewindTo, type StepReport } from '../../rewind/rewind.ts'
import type { Recorder } from '../../sessions/work.ts'
import { formatJson, type JsonObject } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'
import { noteFiles, planLines, shortId } from './points.ts'

export interface RewindCommandOptions extends RewindOptions {
  json: boolean
  /** Ask nothing. */
  force: boolean
}

export async function goToStep(
  cli: Cli,
  recorder: Recorder,
  point: RewindPoint,
  options: RewindCommandOptions,
): Promise<void> {
  const report = await rewindTo(recorder, point, options)
  if (options.json) return void cli.process.stdout.write(formatJson(describe(point, report, options)))
  if (!options.dryRun) return tell(cli, point, report)
  for (const line of [...planLines(report), 'Dry run: nothing was changed.']) cli.out(line)
}

/** The log of a step, without its files. */
export async function restoreLogOfStep(
  cli: Cli,
  recorder: Recorder,
  objects: ObjectReader,
  point: RewindPoint,
  options: RewindCommandOptions,
): Promise<void> {
  const log = await restoreStepLog(
    recorder,
    objects,
    { step: point.id, session: point.session ?? '', task: point.isTask ? point.metadataDir : undefined },
    options,
  )
  if (options.json)
    return void cli.process.stdout.write(
      formatJson({ id: point.id, dry_run: options.dryRun, log: describeLog(log, options) }),
    )
  if (options.dryRun)
    return cli.out(`  Write: ${clean(log.path ?? '(nothing)')}\nDry run: nothing was changed.`)
  noteLog(cli, log)
  if (log.state === 'write' || log.state === 'unchanged')
    cli.out(`Restored session logs.\n${log.command ?? ''}`.trimEnd())
  cli.out('Note: Working directory unchanged. Use interactive mode for full checkout.')
}

function tell(cli: Cli, point: RewindPoint, report: StepReport): void {
  noteFiles(cli, report)
  if (report.shadow !== undefined)
    cli.note(
      `[entire] Reset shadow branch ${report.shadow.replace('refs/heads/', '')} to checkpoint ${shortId(point.id)}`,
    )
  if (!report.isDone) {
    cli.out('Nothing differs: no file was changed.')
    return
  }
  cli.out(`\nRestored files from shadow commit ${shortId(point.id)}\n`)
  noteLog(cli, report.log)
  const where = report.isTaskEnd ? 'Rewound to task checkpoint.' : `Rewound to ${shortId(point.id)}.`
  cli.out(`${where}${report.log.command === undefined ? '' : ` ${clean(report.log.command)}`}`)
  cli.note('`entire rewind --undo` takes it back.')
}

const logProblems: Record<LogReport['state'], string | undefined> = {
  none: undefined,
  write: undefined,
  unchanged: undefined,
  running: 'The session is running: its log was left as it is.',
  failed: 'The session log could not be restored.',
}

function noteLog(cli: Cli, log: LogReport): void {
  const problem = logProblems[log.state]
  if (problem !== undefined)
    cli.note(`Note: ${problem}${log.problem === undefined ? '' : ` ${clean(log.problem)}`}`)
  if (log.backup !== undefined) cli.note(`The session log from before is kept: ${clean(log.backup)}`)
}

function describe(point: RewindPoint, report: StepReport, { dryRun }: RewindCommandOptions): JsonObject {
  const { restore, remove, skip: keep, log, isDone } = report
  const files = { restore, remove, keep: keep.map(({ path, reason }) => ({ path, reason })) }
  return { id: point.id, dry_run: dryRun, ...files, log: describeLog(log, { dryRun }), can_undo: isDone }
}

function describeLog(
  { state, session, path, command, backup, problem }: LogReport,
  { dryRun }: Pick<RewindCommandOptions, 'dryRun'>,
): JsonObject {
  const fields = {
    state: state === 'write' && !dryRun ? 'restored' : state,
    session_id: session,
    path,
    resume_command: command,
    backup,
    problem,
  }
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
