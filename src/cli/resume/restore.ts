// Restores the session logs of a checkpoint where their agents find them, and reports how to continue.

import type { StoredCheckpoint } from '../../checkpoints/read.ts'
import { type LogState, type LogToRestore, planRestore, type RestorePlan } from '../../resume/plan.ts'
import { type RestoredLog, restoreLogs } from '../../resume/restore-logs.ts'
import { given } from '../../std/given.ts'
import { formatJson, type JsonObject } from '../../std/json.ts'
import { confirm } from '../ask.ts'
import type { Cli } from '../context.ts'
import { localTime } from '../render/numbers.ts'
import { clean, cut } from '../render/text.ts'
import { noteLines, type ResumeRun } from './resume-run.ts'

export interface PreparedRestore {
  checkpoint: StoredCheckpoint
  plan: RestorePlan
}

/** Plans and asks before anything changes. Undefined when the user wants to keep newer local logs. */
export async function prepareRestore(
  run: ResumeRun,
  checkpoint: StoredCheckpoint,
): Promise<PreparedRestore | undefined> {
  const plan = await planRestore(run.recorder, run.objects, checkpoint)
  for (const warning of plan.warnings) run.cli.note(`Warning: ${clean(warning)}`)
  if (run.flags.force || (await confirmOverwrite(run.cli, plan))) return { checkpoint, plan }
  noteLines(run, 'Resume cancelled. Local session logs preserved.')
  return undefined
}

/** True when no local log is newer, or the user agrees. Without a terminal, a newer local log is an error. */
async function confirmOverwrite(cli: Cli, plan: RestorePlan): Promise<boolean> {
  const newer = plan.logs.filter((log) => log.state === 'local-newer')
  if (newer.length === 0) return true
  for (const line of conflictLines(plan)) cli.note(line)
  return confirm(cli, {
    message: 'Overwrite local session logs with checkpoint versions?',
    noTerminalHint: 'Use --force to overwrite them; copies of the local logs are kept beside the new ones.',
  })
}

export async function finishRestore(
  run: ResumeRun,
  { checkpoint, plan }: PreparedRestore,
  branch?: string,
): Promise<void> {
  noteLines(run, ...progressLines(plan.logs))
  const logs = await restoreLogs(run.recorder, run.objects, plan)
  noteLines(
    run,
    ...logs.flatMap(({ backup }) =>
      backup === undefined ? [] : [`The previous log is kept as: ${clean(backup)}`],
    ),
  )
  printReport(run, { branch, checkpoint: checkpoint.checkpoint, logs })
}

export interface ResumeReport {
  branch: string | undefined
  checkpoint: string | undefined
  logs: RestoredLog[]
}

/** Reports the restored sessions, and how to continue them. */
export function printReport(run: ResumeRun, { branch, checkpoint, logs }: ResumeReport): void {
  if (run.flags.json)
    return void run.cli.process.stdout.write(
      formatJson({
        ...given({ branch }),
        checkpoint_id: checkpoint ?? null,
        sessions: logs.map(sessionJson),
      }),
    )
  const [first] = logs
  if (first === undefined) return
  const colon = logs.some(({ command }) => isCommand(command)) ? ', run:' : ':'
  if (logs.length > 1)
    noteLines(run, '', `Restored ${logs.length} sessions. To continue${colon}`, ...commandLines(logs))
  else
    noteLines(run, `Session: ${first.session}`, '', `To continue this session${colon}`, ...commandLines(logs))
}

function sessionJson({ session, agent, path, command, prompt, state, backup }: RestoredLog): JsonObject {
  return {
    session_id: session,
    agent,
    path,
    command: command ?? null,
    ...given({ prompt }),
    state,
    ...given({ backup }),
  }
}

const promptLength = 60

const stateLabels: Record<LogState, string> = {
  new: '(new)',
  unchanged: '(unchanged)',
  'checkpoint-newer': '(checkpoint is newer)',
  'local-newer': '(local is newer)',
}

function progressLines(logs: LogToRestore[]): string[] {
  const [first] = logs
  if (first === undefined) return []
  if (logs.length === 1)
    return [first.state === 'unchanged' ? upToDate(first) : `Writing transcript to: ${clean(first.path)}`]
  return [
    `Restoring ${logs.length} sessions from checkpoint:`,
    ...logs.flatMap((log, index) => [
      `  Session ${index + 1}${index === logs.length - 1 ? ' (latest)' : ''}: ${cut(log.prompt ?? log.session.session, 60)}`,
      `    ${log.state === 'unchanged' ? upToDate(log) : `Writing to: ${clean(log.path)}`}`,
    ]),
  ]
}

function upToDate({ path }: LogToRestore): string {
  return `Already up to date: ${clean(path)}`
}

/** Warns about local logs that are newer than the checkpoint. */
function conflictLines({ logs }: RestorePlan): string[] {
  const others = logs.filter((log) => log.state !== 'local-newer')
  return [
    '',
    'Warning: Local session log(s) have newer entries than the checkpoint:',
    ...logs
      .filter((log) => log.state === 'local-newer')
      .flatMap((log) => [`  ${nameOf(log)}`, ...timeLines(log)]),
    ...(others.length === 0 ? [] : ['', 'These other session(s) will also be restored:']),
    ...others.map((log) => `  ${nameOf(log)} ${stateLabels[log.state]}`),
    '',
    'Overwriting will lose the newer local entries from the session; a copy of the old file is kept beside it.',
    '',
  ]
}

function timeLines({ localLast, storedLast }: LogToRestore): string[] {
  if (localLast === undefined && storedLast === undefined) return []
  const timeText = (time: Date | undefined) =>
    time === undefined ? '(unknown)' : localTime(time.toISOString())
  return [
    `    Local last entry:      ${timeText(localLast)}`,
    `    Checkpoint last entry: ${timeText(storedLast)}`,
  ]
}

function nameOf({ prompt, session }: LogToRestore): string {
  return prompt === undefined || clean(prompt) === ''
    ? `Session: ${session.session}`
    : `"${cut(prompt, promptLength)}"`
}

/** After a rewind: the command that continues each session. */
export function restoredLines(logs: RestoredLog[]): string[] {
  if (logs.length < 2) return logs.map((log) => commandLine(log))
  return ['', `Restored ${logs.length} sessions. Resume with:`, ...commandLines(logs)]
}

/** One line per session, the most recent one last. */
function commandLines(logs: RestoredLog[]): string[] {
  return logs.map(
    (log, index) =>
      `  ${commandLine(log, logs.length > 1 && index === logs.length - 1 ? '(most recent)' : '')}`,
  )
}

/** False for a sentence: agents without a command line describe what to do. */
function isCommand(command: string | undefined): boolean {
  return command !== undefined && !(/^\p{Lu}/u.test(command) && /[.!]$/.test(command) && /\s/.test(command))
}

function commandLine({ command, prompt, session }: RestoredLog, mark = ''): string {
  const words = [promptComment(prompt), mark].filter((word) => word !== '')
  return [command ?? `Session: ${session}`, ...(words.length === 0 ? [] : [`# ${words.join(' ')}`])].join(
    '  ',
  )
}

// Without shell syntax: users paste the line, and not every interactive shell treats `#` as a comment.
function promptComment(prompt: string | undefined): string {
  const harmless = clean(prompt ?? '')
    .replace(/["']+/g, '')
    .replace(/[`$;&|<>()\\!\s]+/g, ' ')
  return cut(harmless, promptLength)
}
