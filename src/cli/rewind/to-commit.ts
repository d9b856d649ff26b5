// Points that are commits: their session logs come back, and if asked for, the branch goes to them.

import { fetchCommand } from '../../checkpoints/copies.ts'
import { readCheckpoint } from '../../checkpoints/read.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import { git } from '../../git/exec.ts'
import { isActive } from '../../model/session.ts'
import { planRestore, type RestoredLog, type RestorePlan } from '../../resume/restore-logs.ts'
import { restoreCommitLogs } from '../../rewind/logs.ts'
import type { RewindPoint } from '../../rewind/points.ts'
import { type ResetReport, resetTo } from '../../rewind/reset.ts'
import { savedLogs } from '../../rewind/saved-log.ts'
import { readLive } from '../../sessions/live-index.ts'
import { readSession } from '../../sessions/store.ts'
import type { Recorder } from '../../sessions/work.ts'
import { EntireError } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import { formatJson, type JsonObject } from '../../std/json.ts'
import { confirm } from '../ask.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'
import { restoredLines } from '../resume/restore.ts'
import { noteFiles, planLines, shortId } from './points.ts'
import { countCommitsAfter, readUncommitted, uncommittedLines } from './reset-warnings.ts'
import { goToStep, type RewindCommandOptions, restoreLogOfStep } from './to-step.ts'

export interface RewindRun {
  cli: Cli
  recorder: Recorder
  objects: ObjectReader
  point: RewindPoint
  options: RewindCommandOptions
}

/** Logs alone: files and branch stay. */
export async function restoreLogsOf({
  cli,
  recorder,
  objects,
  point,
  options,
}: RewindRun): Promise<RestoredLog[]> {
  const plan = await planPointLogs(recorder, objects, point)
  if (options.dryRun) {
    const logs = plan.logs.map(({ session, path, state }) => ({ session_id: session.session, path, state }))
    if (options.json) cli.process.stdout.write(formatJson({ id: point.id, dry_run: true, logs }))
    else
      for (const line of [
        ...logs.map(({ path, state }) => `  Write: ${clean(path)} (${state})`),
        'Dry run: nothing was changed.',
      ])
        cli.out(line)
    return []
  }
  const restored = await restoreAndTell(cli, recorder, objects, plan)
  if (options.json)
    cli.process.stdout.write(formatJson({ id: point.id, dry_run: false, logs: describeLogs(restored) }))
  else tellLogs(cli, restored)
  return restored
}

function tellLogs(cli: Cli, logs: RestoredLog[]): void {
  if (logs.length === 0) cli.note('No session log could be restored.')
  for (const line of logs.length === 0 ? [] : ['Restored session logs.', ...restoredLines(logs)])
    cli.out(line)
}

/** Logs, then the branch: after the warnings, and only if the answer is yes. */
export async function resetBranch(going: RewindRun): Promise<void> {
  const { cli, recorder, objects, point, options } = going
  if (options.dryRun)
    return tellReset(going, await resetTo(recorder, point.id, { ...options, mode: 'hard', logs: [] }), [])
  // Asked before anything is restored where there is nobody to ask.
  if (!options.force && !cli.interactive) throw mustConfirm(point)
  const restored = await restoreAndTell(cli, recorder, objects, await planPointLogs(recorder, objects, point))
  if (!options.force && !(await isConfirmed(cli, recorder, point)))
    return cli.out('Reset cancelled. Session logs were still restored.')
  tellReset(
    going,
    await resetTo(recorder, point.id, { ...options, mode: 'hard', logs: savedLogs(restored) }),
    restored,
  )
}

function mustConfirm(point: RewindPoint): EntireError {
  return new EntireError(
    'no-terminal',
    `Reset branch to ${shortId(point.id)}? There is no terminal to ask on.`,
    {
      hint: 'Say --force to reset without a question, or --dry-run to see what would happen.',
    },
  )
}

async function isConfirmed(cli: Cli, recorder: Recorder, point: RewindPoint): Promise<boolean> {
  const [changes, after] = await Promise.all([
    readUncommitted(recorder.repo),
    countCommitsAfter(recorder.repo, point.id),
  ])
  const isRunning = [...readLive(recorder.repo).sessions.values()].some(({ active }) => active)
  const warnings = [
    ...(changes.length > 0
      ? ['The following uncommitted changes will be reverted:', ...uncommittedLines(changes)]
      : []),
    ...(after === undefined || after === 0 ? [] : [`• ${after} commit(s) after this point will be orphaned`]),
    ...(isRunning ? ['• An agent is working in this directory'] : []),
  ]
  const message =
    warnings.length === 0 ? `Reset branch to ${shortId(point.id)}?` : '⚠️  Reset branch with warnings?'
  const detail = [
    ...warnings,
    'All of it is kept: `entire rewind --undo` brings files, index and branch back.',
  ].join('\n')
  return confirm(cli, { message, detail, noTerminalHint: 'Say --force to reset without a question.' })
}

function tellReset({ cli, point, options }: RewindRun, report: ResetReport, logs: RestoredLog[]): void {
  if (options.json) cli.process.stdout.write(formatJson(describe(point, report, logs, options)))
  else if (options.dryRun) {
    const branch = `  Reset: ${branchName(report)} from ${shortId(report.head.before)} to ${shortId(point.id)}`
    for (const line of [...planLines(report), branch, 'Dry run: nothing was changed.']) cli.out(line)
  } else {
    noteFiles(cli, report)
    for (const line of [
      `Reset branch to ${shortId(point.id)}.`,
      ...restoredLines(logs),
      '',
      'To undo this reset: entire rewind --undo',
    ])
      cli.out(line)
    if (report.head.before !== point.id) cli.out(`The branch was at ${shortId(report.head.before)}.`)
  }
}

/** A turn that committed itself: the branch goes back to it, unless something is uncommitted. */
export async function goToOwnCommit(going: RewindRun): Promise<void> {
  const { cli, recorder, objects, point, options } = going
  const changes = await readUncommitted(recorder.repo)
  if (changes.length > 0)
    throw new EntireError(
      'busy',
      ['You have uncommitted changes:', ...uncommittedLines(changes)].join('\n'),
      {
        hint: 'Please commit or stash your changes before rewinding.',
      },
    )
  if (options.dryRun)
    return tellReset(going, await resetTo(recorder, point.id, { ...options, mode: 'keep', logs: [] }), [])
  const logs = await restoreAndTell(cli, recorder, objects, await planPointLogs(recorder, objects, point))
  const report = await resetTo(recorder, point.id, { ...options, mode: 'keep', logs: savedLogs(logs) })
  if (options.json) return void cli.process.stdout.write(formatJson(describe(point, report, logs, options)))
  noteFiles(cli, report)
  cli.out(`Reset to commit ${shortId(point.id)}`)
  for (const line of restoredLines(logs)) cli.out(line)
  cli.note('`entire rewind --undo` takes it back.')
}

/** For looking around: git refuses where local changes would be overwritten, and keeps the others. */
export async function checkOutCommit(going: RewindRun): Promise<void> {
  const { cli, recorder, point } = going
  await restoreLogsOf(going)
  const detail =
    "This will checkout the commit directly. You'll be in 'detached HEAD' state.\nUncommitted changes are kept; where they are in the way, nothing happens."
  if (
    !(await confirm(cli, {
      message: 'Create detached HEAD?',
      detail,
      noTerminalHint: `git switch --detach ${shortId(point.id)}`,
    }))
  )
    return cli.out('Checkout cancelled. Session logs were still restored.')
  // Ignored files are files, too. https://git-scm.com/docs/git-checkout#Documentation/git-checkout.txt---no-overwrite-ignore
  await git(recorder.repo, [
    'checkout',
    '--quiet',
    '--no-overwrite-ignore',
    '--no-recurse-submodules',
    '--detach',
    point.id,
  ])
  cli.out(`Checked out ${shortId(point.id)} (detached HEAD).`)
}

function branchName({ head }: ResetReport): string {
  return clean(head.ref.replace('refs/heads/', ''))
}

function describe(
  point: RewindPoint,
  report: ResetReport,
  logs: RestoredLog[],
  { dryRun }: RewindCommandOptions,
): JsonObject {
  const { ref, before, after } = report.head
  return {
    id: point.id,
    dry_run: dryRun,
    restore: report.restore,
    remove: report.remove,
    head: { ref, before, after },
    logs: describeLogs(logs),
    can_undo: !dryRun,
  }
}

// Session logs of a commit, put back. The user asked for them, so newer local ones give way; they are kept beside, and a running session keeps its own.

export async function planPointLogs(
  recorder: Recorder,
  objects: ObjectReader,
  point: RewindPoint,
): Promise<RestorePlan> {
  const checkpoint =
    point.checkpoint === undefined ? undefined : await readCheckpoint(objects, point.checkpoint)
  if (checkpoint === undefined)
    throw new EntireError('not-found', `The checkpoint of ${point.id.slice(0, 7)} is not stored here.`, {
      hint: `\`${fetchCommand}\` gets it from origin.`,
    })
  const plan = await planRestore(recorder, objects, checkpoint)
  const isRunning = (id: string) => isActive(readSession(recorder.repo, id) ?? { phase: 'idle' })
  const running = plan.logs.filter(({ session }) => isRunning(session.session))
  return {
    logs: plan.logs.filter((log) => !running.includes(log)),
    warnings: [
      ...plan.warnings,
      ...running.map(({ session }) => `Session ${session.session} is running: its log was left as it is.`),
    ],
  }
}

export async function restoreAndTell(
  cli: Cli,
  recorder: Recorder,
  objects: ObjectReader,
  plan: RestorePlan,
): Promise<RestoredLog[]> {
  for (const warning of plan.warnings) cli.note(`Note: ${clean(warning)}`)
  const logs = await restoreCommitLogs(recorder, objects, plan)
  for (const { backup } of logs)
    if (backup !== undefined) cli.note(`The session log from before is kept: ${clean(backup)}`)
  return logs
}

export function describeLogs(logs: RestoredLog[]): JsonObject[] {
  return logs.map(({ session, agent, path, command, state, backup }) => ({
    session_id: session,
    agent,
    path,
    state,
    ...given({ resume_command: command }),
    ...given({ backup }),
  }))
}

// Going to a point that was named on the command line: what kind it is decides how.

export async function goToPoint(going: RewindRun, how: 'all' | 'logs' | 'reset'): Promise<void> {
  const { cli, recorder, objects, point, options } = going
  const isCommit = point.checkpoint !== undefined
  if (how === 'reset') {
    if (!isCommit)
      throw new EntireError(
        'bad-usage',
        `${shortId(point.id)} is a step, not a commit: there is nothing to move the branch to.`,
        {
          hint: `\`entire rewind --to ${shortId(point.id)}\` restores its files.`,
        },
      )
    return resetBranch(going)
  }
  if (!isCommit)
    return how === 'logs'
      ? restoreLogOfStep(cli, recorder, objects, point, options)
      : goToStep(cli, recorder, point, options)
  if (how === 'all' && !point.isLogsOnly) return goToOwnCommit(going)
  await restoreLogsOf(going)
  if (!options.dryRun && !options.json)
    cli.out('Note: Working directory unchanged. Use interactive mode for full checkout.')
}
