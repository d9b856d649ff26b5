// Restores the session logs of a checkpoint where their agents find them, and reports how to continue.

import type { StoredCheckpoint } from '../../checkpoints/read.ts'
import { planRestore, type RestorePlan } from '../../resume/plan.ts'
import { type RestoredLog, restoreLogs } from '../../resume/restore-logs.ts'
import { given } from '../../std/given.ts'
import { formatJson, type JsonObject } from '../../std/json.ts'
import { confirm } from '../ask.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'
import { commandLines, conflictLines, isCommand, progressLines } from './log-lines.ts'
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
