// Goes to the point that `--to` names: to a step, or only to its session log, or to a commit.

import { describeOverlooked } from '../../checkpoints/left-out.ts'
import { readOverlooked } from '../../git/status.ts'
import { type LogReport, restoreStepLog } from '../../rewind/logs.ts'
import type { RewindPoint } from '../../rewind/points.ts'
import { rewindTo, type StepReport } from '../../rewind/rewind.ts'
import { EntireError } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import { formatJson, type JsonObject } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'
import { shortId } from './points.ts'
import { noteFiles, planLines, type RewindCommandOptions, type RewindRun } from './rewind-run.ts'
import { resetBranch, resetToAutoCommit, restoreLogsOfCommit } from './to-commit.ts'

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

export async function goToStep({ cli, recorder, point, options }: Omit<RewindRun, 'objects'>): Promise<void> {
  const report = await rewindTo(recorder, point, options)
  if (options.json) return void cli.process.stdout.write(formatJson(reportJson(point, report, options)))
  for (const line of describeOverlooked(await readOverlooked(recorder.repo))) cli.note(`Note: ${clean(line)}`)
  if (!options.dryRun) return printReport(cli, point, report, options)
  for (const line of [...planLines(report), 'Dry run: nothing was changed.']) cli.out(line)
}

function printReport(
  cli: Cli,
  point: RewindPoint,
  report: StepReport,
  { broughtBackBy = 'entire rewind --undo' }: RewindCommandOptions,
): void {
  noteFiles(cli, report)
  if (report.shadow !== undefined)
    cli.note(`[entire] Moved ${report.shadow.replace('refs/heads/', '')} back to step ${shortId(point.id)}`)
  if (!report.isDone) return void cli.out('Nothing differs: no file was changed.')
  cli.out(`\nRestored files from step ${shortId(point.id)}\n`)
  noteLog(cli, report.log)
  const where = report.isTaskEnd ? 'Rewound to the end of the task.' : `Rewound to ${shortId(point.id)}.`
  cli.out(`${where}${report.log.command === undefined ? '' : ` ${clean(report.log.command)}`}`)
  cli.note(`\`${broughtBackBy}\` undoes this.`)
}

/** Leaves the files alone. */
async function restoreLogOfStep(run: RewindRun): Promise<void> {
  const { cli, recorder, objects, point, options } = run
  const log = await restoreStepLog(
    recorder,
    objects,
    { step: point.id, session: point.session ?? '', task: point.isTask ? point.metadataDir : undefined },
    options,
  )
  if (options.json)
    return void cli.process.stdout.write(
      formatJson({ id: point.id, dry_run: options.dryRun, log: logJson(log, options) }),
    )
  if (options.dryRun)
    return cli.out(`  Write: ${clean(log.path ?? '(nothing)')}\nDry run: nothing was changed.`)
  noteLog(cli, log)
  if (log.state === 'write' || log.state === 'unchanged')
    cli.out(`Restored session logs.\n${log.command ?? ''}`.trimEnd())
  cli.out('Note: Working directory unchanged. Use interactive mode for full checkout.')
}

const logProblems: Record<LogReport['state'], string | undefined> = {
  none: undefined,
  write: undefined,
  unchanged: undefined,
  running: 'The session is running: its log was not changed.',
  failed: 'The session log could not be restored.',
}

function noteLog(cli: Cli, log: LogReport): void {
  const problem = logProblems[log.state]
  if (problem !== undefined)
    cli.note(`Note: ${problem}${log.problem === undefined ? '' : ` ${clean(log.problem)}`}`)
  if (log.backup !== undefined) cli.note(`The previous session log is kept: ${clean(log.backup)}`)
}

function reportJson(
  point: RewindPoint,
  { restore, remove, skip, merged, conflicts, log, isDone }: StepReport,
  options: RewindCommandOptions,
): JsonObject {
  return {
    id: point.id,
    dry_run: options.dryRun,
    restore,
    remove,
    keep: skip.map(({ path, reason }) => ({ path, reason })),
    merge: [...merged.keys()],
    conflicts,
    log: logJson(log, options),
    can_undo: isDone,
  }
}

function logJson(
  { state, session, path, command, backup, problem }: LogReport,
  { dryRun }: RewindCommandOptions,
): JsonObject {
  return {
    state: state === 'write' && !dryRun ? 'restored' : state,
    ...given({ session_id: session, path, resume_command: command, backup, problem }),
  }
}
