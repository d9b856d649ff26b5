// Goes back to a commit: restores its session logs and, on request, checks it out or moves the branch to it.

import { readCheckpoint } from '../../checkpoints/read.ts'
import { git } from '../../git/exec.ts'
import { isActive } from '../../model/session.ts'
import { planRestore, type RestorePlan } from '../../resume/plan.ts'
import type { RestoredLog } from '../../resume/restore-logs.ts'
import { restoreCommitLogs } from '../../rewind/logs.ts'
import { type ResetReport, resetTo } from '../../rewind/reset.ts'
import { savedLogs } from '../../rewind/saved-log.ts'
import { readLive } from '../../sessions/live-index.ts'
import { readSession } from '../../sessions/store.ts'
import { EntireError, notFound } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import { formatJson, type JsonObject } from '../../std/json.ts'
import { confirm } from '../ask.ts'
import type { Cli } from '../context.ts'
import { absentHint, fetchingFor } from '../fetching.ts'
import { clean } from '../render/text.ts'
import { restoredLines } from '../resume/restore.ts'
import { shortId } from './points.ts'
import { countCommitsAfter, readUncommitted, uncommittedLines } from './reset-warnings.ts'
import { noteFiles, planLines, type RewindRun } from './rewind-run.ts'

/** Leaves files and branch alone. */
export async function restoreLogsOfCommit(run: RewindRun): Promise<void> {
  const { cli, point, options } = run
  const plan = await planLogsOfCommit(run)
  if (options.dryRun) {
    const logs = plan.logs.map(({ session, path, state }) => ({ session_id: session.session, path, state }))
    if (options.json) return void cli.process.stdout.write(formatJson({ id: point.id, dry_run: true, logs }))
    for (const { path, state } of logs) cli.out(`  Write: ${clean(path)} (${state})`)
    return void cli.out('Dry run: nothing was changed.')
  }
  const restored = await restorePlannedLogs(run, plan)
  if (options.json)
    cli.process.stdout.write(formatJson({ id: point.id, dry_run: false, logs: restoredLogsJson(restored) }))
  else printLogs(cli, restored)
}

function printLogs(cli: Cli, logs: RestoredLog[]): void {
  if (logs.length === 0) return void cli.note('No session log could be restored.')
  for (const line of ['Restored session logs.', ...restoredLines(logs)]) cli.out(line)
}

/** Restores the logs, warns about what the reset replaces, and moves the branch if the user agrees. */
export async function resetBranch(run: RewindRun): Promise<void> {
  const { cli, recorder, point, options } = run
  if (options.dryRun)
    return printReset(run, await resetTo(recorder, point.id, { ...options, mode: 'hard', logs: [] }), [])
  // Without a terminal, fail before anything is restored.
  if (!options.force && !cli.interactive)
    throw new EntireError(
      'no-terminal',
      `Cannot ask without a terminal: Reset branch to ${shortId(point.id)}?`,
      { hint: 'Use --force to reset without being asked, or --dry-run to see what would happen.' },
    )
  const logs = await restorePlannedLogs(run, await planLogsOfCommit(run))
  if (!options.force && !(await isResetConfirmed(run)))
    return cli.out('Reset cancelled. Session logs were still restored.')
  const report = await resetTo(recorder, point.id, { ...options, mode: 'hard', logs: savedLogs(logs) })
  printReset(run, report, logs)
}

async function isResetConfirmed({ cli, recorder, point }: RewindRun): Promise<boolean> {
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
    'Nothing is lost: `entire rewind --undo` restores files, index and branch.',
  ].join('\n')
  return confirm(cli, { message, detail, noTerminalHint: 'Use --force to reset without being asked.' })
}

function printReset({ cli, point, options }: RewindRun, report: ResetReport, logs: RestoredLog[]): void {
  const { before } = report.head
  if (options.json)
    return void cli.process.stdout.write(formatJson(resetJson({ point, options }, report, logs)))
  if (options.dryRun) {
    const branch = clean(report.head.ref.replace('refs/heads/', ''))
    for (const line of planLines(report)) cli.out(line)
    cli.out(`  Reset: ${branch} from ${shortId(before)} to ${shortId(point.id)}`)
    return void cli.out('Dry run: nothing was changed.')
  }
  noteFiles(cli, report)
  cli.out(`Reset branch to ${shortId(point.id)}.`)
  for (const line of restoredLines(logs)) cli.out(line)
  cli.out('\nTo undo this reset: entire rewind --undo')
  if (before !== point.id) cli.out(`The branch was at ${shortId(before)}.`)
}

/**
 * For a commit that entire made at the end of a turn: moves the branch to it, unless there are uncommitted
 * changes.
 */
export async function resetToAutoCommit(run: RewindRun): Promise<void> {
  const { cli, recorder, point, options } = run
  const changes = await readUncommitted(recorder.repo)
  if (changes.length > 0)
    throw new EntireError(
      'busy',
      ['You have uncommitted changes:', ...uncommittedLines(changes)].join('\n'),
      { hint: 'Please commit or stash your changes before rewinding.' },
    )
  if (options.dryRun)
    return printReset(run, await resetTo(recorder, point.id, { ...options, mode: 'keep', logs: [] }), [])
  const logs = await restorePlannedLogs(run, await planLogsOfCommit(run))
  const report = await resetTo(recorder, point.id, { ...options, mode: 'keep', logs: savedLogs(logs) })
  if (options.json) return void cli.process.stdout.write(formatJson(resetJson(run, report, logs)))
  noteFiles(cli, report)
  cli.out(`Reset to commit ${shortId(point.id)}`)
  for (const line of restoredLines(logs)) cli.out(line)
  cli.note('`entire rewind --undo` undoes this.')
}

function resetJson(
  { point, options }: Pick<RewindRun, 'point' | 'options'>,
  report: ResetReport,
  logs: RestoredLog[],
): JsonObject {
  const { ref, before, after } = report.head
  return {
    id: point.id,
    dry_run: options.dryRun,
    restore: report.restore,
    remove: report.remove,
    head: { ref, before, after },
    logs: restoredLogsJson(logs),
    can_undo: !options.dryRun,
  }
}

/** Detaches HEAD. Git refuses if that would overwrite local changes, and keeps all others. */
export async function checkOutCommit(run: RewindRun): Promise<void> {
  const { cli, recorder, point } = run
  await restoreLogsOfCommit(run)
  const isConfirmed = await confirm(cli, {
    message: 'Create detached HEAD?',
    detail:
      "This will checkout the commit directly. You'll be in 'detached HEAD' state.\nUncommitted changes are kept; if they conflict, nothing is checked out.",
    noTerminalHint: `Run \`git switch --detach ${shortId(point.id)}\`.`,
  })
  if (!isConfirmed) return cli.out('Checkout cancelled. Session logs were still restored.')
  // Keeps ignored files.
  // https://git-scm.com/docs/git-checkout#Documentation/git-checkout.txt---no-overwrite-ignore
  const options = ['--quiet', '--no-overwrite-ignore', '--no-recurse-submodules', '--detach']
  await git(recorder.repo, ['checkout', ...options, point.id])
  cli.out(`Checked out ${shortId(point.id)} (detached HEAD).`)
}

// Restores the session logs of a commit. The user asked for them, so they replace newer local logs, which are
// kept beside them. The log of a running session is not changed.

async function planLogsOfCommit({ cli, recorder, objects, point }: RewindRun): Promise<RestorePlan> {
  const { missing, failures } = await fetchingFor(cli, recorder.repo, objects).checkpoints(
    point.checkpoint === undefined ? [] : [point.checkpoint],
  )
  const checkpoint =
    point.checkpoint === undefined || missing.length > 0
      ? undefined
      : await readCheckpoint(objects, point.checkpoint)
  if (checkpoint === undefined)
    throw notFound(
      'checkpoint',
      `${point.checkpoint ?? ''} (of commit ${shortId(point.id)})`,
      absentHint(recorder.repo, { failures, missing }),
    )
  const plan = await planRestore(recorder, objects, checkpoint)
  const isRunning = (id: string) => isActive(readSession(recorder.repo, id) ?? { phase: 'idle' })
  const running = plan.logs.filter(({ session }) => isRunning(session.session))
  return {
    logs: plan.logs.filter((log) => !running.includes(log)),
    warnings: [
      ...plan.warnings,
      ...running.map(({ session }) => `Session ${session.session} is running: its log was not changed.`),
    ],
  }
}

/** Restores the planned logs; warnings and backups go to standard error. */
async function restorePlannedLogs(
  { cli, recorder, objects }: RewindRun,
  plan: RestorePlan,
): Promise<RestoredLog[]> {
  for (const warning of plan.warnings) cli.note(`Note: ${clean(warning)}`)
  const logs = await restoreCommitLogs(recorder, objects, plan)
  for (const { backup } of logs)
    if (backup !== undefined) cli.note(`The previous session log is kept: ${clean(backup)}`)
  return logs
}

function restoredLogsJson(logs: RestoredLog[]): JsonObject[] {
  return logs.map(({ session, agent, path, command, state, backup }) => ({
    session_id: session,
    agent,
    path,
    state,
    ...given({ resume_command: command, backup }),
  }))
}
