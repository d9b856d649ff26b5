// From a checkpoint to logs that the agents find: planned and asked about first, written when nothing is in the way any more.
import type { StoredCheckpoint } from '../../checkpoints/read.ts'
import { type LogToRestore, planRestore, type RestoredLog, type RestorePlan, restoreLogs } from '../../session/restore-logs.ts'
import { clean, cut } from '../render/text.ts'
import { commandLines, confirmOverwrite, isCommand } from '../restored-logs.ts'
import { answer, type Run, tell } from './run.ts'

export interface Prepared {
  checkpoint: StoredCheckpoint
  plan: RestorePlan
}

/** Undefined when the person wants to keep newer local logs. */
export async function prepareRestore(run: Run, checkpoint: StoredCheckpoint): Promise<Prepared | undefined> {
  const plan = await planRestore(run.recorder, run.objects, checkpoint)
  for (const warning of plan.warnings) run.cli.note(`Warning: ${clean(warning)}`)
  if (run.flags.force || (await confirmOverwrite(run.cli, plan))) return { checkpoint, plan }
  tell(run, 'Resume cancelled. Local session logs preserved.')
  return undefined
}

export async function finishRestore(run: Run, { checkpoint, plan }: Prepared, branch?: string): Promise<void> {
  tell(run, ...progressLines(plan.logs))
  const logs = await restoreLogs(run.recorder, run.objects, plan)
  tell(run, ...logs.flatMap(({ backup }) => (backup === undefined ? [] : [`The log that was there before is kept as: ${clean(backup)}`])))
  report(run, { branch, checkpoint: checkpoint.checkpoint, logs })
}

export interface Report {
  branch: string | undefined
  checkpoint: string | undefined
  logs: RestoredLog[]
}

/** How to go on. */
export function report(run: Run, { branch, checkpoint, logs }: Report): void {
  answer(run, {
    ...(branch === undefined ? {} : { branch }),
    checkpoint_id: checkpoint ?? null,
    sessions: logs.map((log) => ({
      session_id: log.session,
      agent: log.agent,
      path: log.path,
      command: log.command ?? null,
      ...(log.prompt === undefined ? {} : { prompt: log.prompt }),
      state: log.state,
      ...(log.backup === undefined ? {} : { backup: log.backup }),
    })),
  })
  const [first] = logs
  if (first === undefined) return
  const what = logs.some(({ command }) => isCommand(command)) ? ', run:' : ':'
  if (logs.length > 1) tell(run, '', `Restored ${logs.length} sessions. To continue${what}`, ...commandLines(logs))
  else tell(run, `Session: ${first.session}`, '', `To continue this session${what}`, ...commandLines(logs))
}

function progressLines(logs: LogToRestore[]): string[] {
  const [first] = logs
  if (first === undefined) return []
  if (logs.length === 1) return [first.state === 'unchanged' ? upToDate(first) : `Writing transcript to: ${clean(first.path)}`]
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
