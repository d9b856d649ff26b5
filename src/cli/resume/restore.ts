// What every way of resuming shares: the command being run, what it may do unasked, and how it tells.

import type { StoredCheckpoint } from '../../checkpoints/read.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import type { Repo } from '../../git/repo.ts'
import { fetchStored } from '../../resume/find.ts'
import {
  type LogToRestore,
  planRestore,
  type RestoredLog,
  type RestorePlan,
  restoreLogs,
} from '../../resume/restore-logs.ts'
import type { LogState } from '../../resume/stored-transcript.ts'
import type { Recorder } from '../../sessions/work.ts'
import { given } from '../../std/given.ts'
import { formatJson } from '../../std/json.ts'
import { confirm, type TerminalQuestion } from '../ask.ts'
import type { Cli } from '../context.ts'
import { localTime } from '../render/numbers.ts'
import { clean, cut } from '../render/text.ts'

export interface ResumeFlags {
  force?: boolean
  yes?: boolean
  json?: boolean
}

export interface ResumeRun {
  cli: Cli
  repo: Repo
  objects: ObjectReader
  recorder: Recorder
  flags: ResumeFlags
}

/** A line for people; programs get the answer instead. */
export function tell({ cli, flags }: ResumeRun, ...lines: string[]): void {
  if (!flags.json) for (const line of lines) cli.note(line)
}

export function answer({ cli, flags }: ResumeRun, value: unknown): void {
  if (flags.json) cli.process.stdout.write(formatJson(value))
}

/** A question whose yes loses nothing: --yes says it, and so does --force. */
export async function agreed(
  { cli, flags }: ResumeRun,
  question: Omit<TerminalQuestion, 'noTerminalHint'>,
): Promise<boolean> {
  if (flags.force || flags.yes) return true
  return confirm(cli, { ...question, noTerminalHint: 'Say --yes to go on without being asked.' })
}

/** Session data that this clone lacks: true when it is here now. */
export async function fetchMissing(run: ResumeRun, checkpoint: string): Promise<boolean> {
  const say = (line: string) => tell(run, clean(line))
  return fetchStored(run.recorder, run.objects, checkpoint, { mayAsk: run.cli.interactive, say })
}

// From a checkpoint to logs that the agents find: planned and asked about first, written when nothing is in the way any more.

export interface Prepared {
  checkpoint: StoredCheckpoint
  plan: RestorePlan
}

/** Undefined when the person wants to keep newer local logs. */
export async function prepareRestore(
  run: ResumeRun,
  checkpoint: StoredCheckpoint,
): Promise<Prepared | undefined> {
  const plan = await planRestore(run.recorder, run.objects, checkpoint)
  for (const warning of plan.warnings) run.cli.note(`Warning: ${clean(warning)}`)
  if (run.flags.force || (await confirmOverwrite(run.cli, plan))) return { checkpoint, plan }
  tell(run, 'Resume cancelled. Local session logs preserved.')
  return undefined
}

export async function finishRestore(
  run: ResumeRun,
  { checkpoint, plan }: Prepared,
  branch?: string,
): Promise<void> {
  tell(run, ...progressLines(plan.logs))
  const logs = await restoreLogs(run.recorder, run.objects, plan)
  tell(
    run,
    ...logs.flatMap(({ backup }) =>
      backup === undefined ? [] : [`The log that was there before is kept as: ${clean(backup)}`],
    ),
  )
  report(run, { branch, checkpoint: checkpoint.checkpoint, logs })
}

export interface Report {
  branch: string | undefined
  checkpoint: string | undefined
  logs: RestoredLog[]
}

/** How to go on. */
export function report(run: ResumeRun, { branch, checkpoint, logs }: Report): void {
  answer(run, {
    ...given({ branch }),
    checkpoint_id: checkpoint ?? null,
    sessions: logs.map((log) => ({
      session_id: log.session,
      agent: log.agent,
      path: log.path,
      command: log.command ?? null,
      ...given({ prompt: log.prompt }),
      state: log.state,
      ...given({ backup: log.backup }),
    })),
  })
  const [first] = logs
  if (first === undefined) return
  const what = logs.some(({ command }) => isCommand(command)) ? ', run:' : ':'
  if (logs.length > 1)
    tell(run, '', `Restored ${logs.length} sessions. To continue${what}`, ...commandLines(logs))
  else tell(run, `Session: ${first.session}`, '', `To continue this session${what}`, ...commandLines(logs))
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
  return `Already there: ${clean(path)}`
}

// What the person is told and asked about session logs that are put back.

const promptLength = 60

const described: Record<LogState, string> = {
  new: '(new)',
  unchanged: '(unchanged)',
  'checkpoint-newer': '(checkpoint is newer)',
  'local-newer': '(local is newer)',
}

/** True when nothing newer is in the way, or when it may be replaced. Without a terminal, a newer local log is an error. */
export async function confirmOverwrite(cli: Cli, plan: RestorePlan): Promise<boolean> {
  const newer = plan.logs.filter((log) => log.state === 'local-newer')
  if (newer.length === 0) return true
  for (const line of conflictLines(plan)) cli.note(line)
  return confirm(cli, {
    message: 'Overwrite local session logs with checkpoint versions?',
    noTerminalHint: 'Say --force to overwrite them; the local logs are then kept beside the new ones.',
  })
}

function conflictLines({ logs }: RestorePlan): string[] {
  const others = logs.filter((log) => log.state !== 'local-newer')
  return [
    '',
    'Warning: Local session log(s) have newer entries than the checkpoint:',
    ...logs
      .filter((log) => log.state === 'local-newer')
      .flatMap((log) => [`  ${nameOf(log)}`, ...timeLines(log)]),
    ...(others.length === 0 ? [] : ['', 'These other session(s) will also be restored:']),
    ...others.map((log) => `  ${nameOf(log)} ${described[log.state]}`),
    '',
    'Overwriting will lose the newer local entries from the session; the file that is replaced is kept beside it.',
    '',
  ]
}

function timeLines({ localLast, storedLast }: LogToRestore): string[] {
  if (localLast === undefined && storedLast === undefined) return []
  const shown = (time: Date | undefined) => (time === undefined ? '(unknown)' : localTime(time.toISOString()))
  return [`    Local last entry:      ${shown(localLast)}`, `    Checkpoint last entry: ${shown(storedLast)}`]
}

function nameOf({ prompt, session }: LogToRestore): string {
  return prompt === undefined || clean(prompt) === ''
    ? `Session: ${session.session}`
    : `"${cut(prompt, promptLength)}"`
}

/** How to go on after a rewind: a command to run for each session. */
export function restoredLines(logs: RestoredLog[]): string[] {
  if (logs.length < 2) return logs.map((log) => commandLine(log))
  return ['', `Restored ${logs.length} sessions. Resume with:`, ...commandLines(logs)]
}

/** One line per session, the most recent one last. */
export function commandLines(logs: RestoredLog[]): string[] {
  return logs.map(
    (log, index) =>
      `  ${commandLine(log, logs.length > 1 && index === logs.length - 1 ? '(most recent)' : '')}`,
  )
}

/** Agents with a window have no command: they say in a sentence what to do. */
export function isCommand(command: string | undefined): boolean {
  return command !== undefined && !/^\p{Lu}.*\s.*[.!]$/su.test(command)
}

function commandLine({ command, prompt, session }: RestoredLog, mark = ''): string {
  const words = [promptComment(prompt), mark].filter((word) => word !== '')
  return [command ?? `Session: ${session}`, ...(words.length === 0 ? [] : [`# ${words.join(' ')}`])].join(
    '  ',
  )
}

// The line is there to be pasted, and not every shell takes `#` for the start of a comment when it is typed.
function promptComment(prompt: string | undefined): string {
  const harmless = clean(prompt ?? '')
    .replace(/["']+/g, '')
    .replace(/[`$;&|<>()\\!\s]+/g, ' ')
  return cut(harmless, promptLength)
}
