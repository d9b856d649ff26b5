// Session logs of a commit, put back. The user asked for them, so newer local ones give way; they are kept beside, and a running session keeps its own.
import { fetchCommand } from '../../checkpoints/places.ts'
import { readCheckpoint } from '../../checkpoints/read.ts'
import type { RewindPoint } from '../../checkpoints/rewind-points.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import { isActive } from '../../model/session.ts'
import { planRestore, type RestoredLog, type RestorePlan } from '../../session/restore-logs.ts'
import { restorePointLogs } from '../../session/rewind-point-logs.ts'
import { readSession } from '../../session/store.ts'
import type { Recorder } from '../../session/work.ts'
import { EntireError } from '../../std/errors.ts'
import type { JsonObject } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'

export async function planPointLogs(recorder: Recorder, objects: ObjectReader, point: RewindPoint): Promise<RestorePlan> {
  const checkpoint = point.checkpoint === undefined ? undefined : await readCheckpoint(objects, point.checkpoint)
  if (checkpoint === undefined)
    throw new EntireError('not-found', `The checkpoint of ${point.id.slice(0, 7)} is not stored here.`, {
      hint: `\`${fetchCommand}\` gets it from origin.`,
    })
  const plan = await planRestore(recorder, objects, checkpoint)
  const isRunning = (id: string) => isActive(readSession(recorder.repo, id) ?? { phase: 'idle' })
  const running = plan.logs.filter(({ session }) => isRunning(session.session))
  return {
    logs: plan.logs.filter((log) => !running.includes(log)),
    warnings: [...plan.warnings, ...running.map(({ session }) => `Session ${session.session} is running: its log was left as it is.`)],
  }
}

export async function restoreAndTell(cli: Cli, recorder: Recorder, objects: ObjectReader, plan: RestorePlan): Promise<RestoredLog[]> {
  for (const warning of plan.warnings) cli.note(`Note: ${clean(warning)}`)
  const logs = await restorePointLogs(recorder, objects, plan)
  for (const { backup } of logs) if (backup !== undefined) cli.note(`The session log from before is kept: ${clean(backup)}`)
  return logs
}

export function describeLogs(logs: RestoredLog[]): JsonObject[] {
  return logs.map(({ session, agent, path, command, state, backup }) => ({
    session_id: session,
    agent,
    path,
    state,
    ...(command === undefined ? {} : { resume_command: command }),
    ...(backup === undefined ? {} : { backup }),
  }))
}
