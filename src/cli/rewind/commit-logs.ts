// Restores the session logs of a commit. The user asked for them, so they replace newer local logs, which are
// kept beside them. The log of a running session is not changed.

import { fetchCommand } from '../../checkpoints/copies.ts'
import { readCheckpoint } from '../../checkpoints/read.ts'
import { isActive } from '../../model/session.ts'
import { planRestore, type RestorePlan } from '../../resume/plan.ts'
import type { RestoredLog } from '../../resume/restore-logs.ts'
import { restoreCommitLogs } from '../../rewind/logs.ts'
import { readSession } from '../../sessions/store.ts'
import { notFound } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import type { JsonObject } from '../../std/json.ts'
import { clean } from '../render/text.ts'
import { shortId } from './points.ts'
import type { RewindRun } from './rewind-run.ts'

export async function planLogsOfCommit({ recorder, objects, point }: RewindRun): Promise<RestorePlan> {
  const checkpoint =
    point.checkpoint === undefined ? undefined : await readCheckpoint(objects, point.checkpoint)
  if (checkpoint === undefined)
    throw notFound(
      'checkpoint',
      `${point.checkpoint ?? ''} (of commit ${shortId(point.id)})`,
      `\`${fetchCommand}\` fetches it from origin.`,
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
export async function restorePlannedLogs(
  { cli, recorder, objects }: RewindRun,
  plan: RestorePlan,
): Promise<RestoredLog[]> {
  for (const warning of plan.warnings) cli.note(`Note: ${clean(warning)}`)
  const logs = await restoreCommitLogs(recorder, objects, plan)
  for (const { backup } of logs)
    if (backup !== undefined) cli.note(`The previous session log is kept: ${clean(backup)}`)
  return logs
}

export function restoredLogsJson(logs: RestoredLog[]): JsonObject[] {
  return logs.map(({ session, agent, path, command, state, backup }) => ({
    session_id: session,
    agent,
    path,
    state,
    ...given({ resume_command: command, backup }),
  }))
}
