// Describes session logs in words: how they are restored, which local ones are newer, how to continue.

import type { LogState, LogToRestore, RestorePlan } from '../../resume/plan.ts'
import type { RestoredLog } from '../../resume/restore-logs.ts'
import { localTime } from '../render/numbers.ts'
import { clean, cut } from '../render/text.ts'

const promptLength = 60

const stateLabels: Record<LogState, string> = {
  new: '(new)',
  unchanged: '(unchanged)',
  'checkpoint-newer': '(checkpoint is newer)',
  'local-newer': '(local is newer)',
}

export function progressLines(logs: LogToRestore[]): string[] {
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
export function conflictLines({ logs }: RestorePlan): string[] {
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
export function commandLines(logs: RestoredLog[]): string[] {
  return logs.map(
    (log, index) =>
      `  ${commandLine(log, logs.length > 1 && index === logs.length - 1 ? '(most recent)' : '')}`,
  )
}

/** False for a sentence: agents without a command line describe what to do. */
export function isCommand(command: string | undefined): boolean {
  return command !== undefined && !/^\p{Lu}.*\s.*[.!]$/su.test(command)
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
