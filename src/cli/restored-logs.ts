// What the person is told and asked about session logs that are put back.
import type { LogState } from '../session/restore-compare.ts'
import type { LogToRestore, RestoredLog, RestorePlan } from '../session/restore-logs.ts'
import { confirm } from './ask.ts'
import type { Cli } from './context.ts'
import { clean, cut } from './render/text.ts'
import { localTime } from './render/time.ts'

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
    otherwise: 'Say --force to overwrite them; the local logs are then kept beside the new ones.',
  })
}

function conflictLines({ logs }: RestorePlan): string[] {
  const others = logs.filter((log) => log.state !== 'local-newer')
  return [
    '',
    'Warning: Local session log(s) have newer entries than the checkpoint:',
    ...logs.filter((log) => log.state === 'local-newer').flatMap((log) => [`  ${nameOf(log)}`, ...timeLines(log)]),
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
  return prompt === undefined || clean(prompt) === '' ? `Session: ${session.session}` : `"${cut(prompt, promptLength)}"`
}

/** How to go on after a rewind: a command to run for each session. */
export function restoredLines(logs: RestoredLog[]): string[] {
  if (logs.length < 2) return logs.map((log) => commandLine(log))
  return ['', `Restored ${logs.length} sessions. Resume with:`, ...commandLines(logs)]
}

/** One line per session, the most recent one last. */
export function commandLines(logs: RestoredLog[]): string[] {
  return logs.map((log, index) => `  ${commandLine(log, logs.length > 1 && index === logs.length - 1 ? '(most recent)' : '')}`)
}

/** Agents with a window have no command: they say in a sentence what to do. */
export function isCommand(command: string | undefined): boolean {
  return command !== undefined && !/^\p{Lu}.*\s.*[.!]$/su.test(command)
}

function commandLine({ command, prompt, session }: RestoredLog, mark = ''): string {
  const words = [promptComment(prompt), mark].filter((word) => word !== '')
  return [command ?? `Session: ${session}`, ...(words.length === 0 ? [] : [`# ${words.join(' ')}`])].join('  ')
}

// The line is there to be pasted, and not every shell takes `#` for the start of a comment when it is typed.
function promptComment(prompt: string | undefined): string {
  const harmless = clean(prompt ?? '')
    .replace(/["']+/g, '')
    .replace(/[`$;&|<>()\\!\s]+/g, ' ')
  return cut(harmless, promptLength)
}
