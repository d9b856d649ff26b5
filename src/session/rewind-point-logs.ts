// Session logs of a commit. Stored logs are redacted: where the log on disk begins with the same conversation, it is cut instead.
import { readTranscript } from '../checkpoints/read.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import { readBytes } from '../std/file.ts'
import { type LogToRestore, type RestoredLog, type RestorePlan, restoreLogs, writeSessionLog } from './restore-logs.ts'
import { fingerprint, type SavedLog } from './rewind-log-files.ts'
import { ownBeginning } from './rewind-logs.ts'
import type { Recorder } from './work.ts'

export async function restorePointLogs(recorder: Recorder, objects: ObjectReader, plan: RestorePlan): Promise<RestoredLog[]> {
  const restored: RestoredLog[] = []
  for (const log of plan.logs)
    restored.push(...((await cutLog(recorder, objects, log)) ?? (await restoreLogs(recorder, objects, { logs: [log], warnings: [] }))))
  return restored
}

/** What an undo needs to bring the logs from before back. */
export function describeReplaced(logs: RestoredLog[]): SavedLog[] {
  return logs.flatMap(({ session, path, backup }) => {
    const [before, after] = [backup === undefined ? undefined : readBytes(backup), readBytes(path)]
    return before === undefined || after === undefined ? [] : [{ session, path, before: fingerprint(before), after: fingerprint(after) }]
  })
}

async function cutLog(recorder: Recorder, objects: ObjectReader, log: LogToRestore): Promise<RestoredLog[] | undefined> {
  const live = readBytes(log.path)
  const stored = live && (await readTranscript(objects, log.session, log.agent.pieces))
  const content = stored && (await ownBeginning(recorder, live, stored))
  const written = content && (await writeSessionLog(recorder, log.agent, log.session.session, content))
  if (written === undefined) return undefined
  return [{ session: log.session.session, agent: log.agent.type, prompt: log.prompt, state: log.state, ...written }]
}
