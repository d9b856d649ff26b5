// Restores the session log of a step or a commit, so that the agent continues from the conversation at that
// point. A running session keeps its own log. Stored logs are redacted: where the log on disk begins with the
// stored one, it is cut there instead.

import { readTranscript } from '../checkpoints/read.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import type { Agent } from '../model/agent.ts'
import { isActive } from '../model/session.ts'
import type { LogToRestore, RestorePlan } from '../resume/plan.ts'
import { type RestoredLog, restoreLogs, writeSessionLog } from '../resume/restore-logs.ts'
import { findLogPath } from '../resume/write-log.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { lockFile } from '../sessions/save.ts'
import { readSession, writeSession } from '../sessions/store.ts'
import { countUnread } from '../sessions/transcript.ts'
import { EntireError, messageOf } from '../std/errors.ts'
import { readBytes } from '../std/file.ts'
import { asObject, asString, parseJson } from '../std/json.ts'
import { takeLock } from '../std/lock.ts'
import { lockWaitMs } from './locked-worktree.ts'
import { readStepTranscript } from './points.ts'
import { fingerprint, type SavedLog } from './saved-log.ts'

export type LogPlan =
  | { state: 'none' }
  /** Nothing is written: a turn is running, or the log is as it should be. */
  | { state: 'running' | 'unchanged'; session: string; command: string | undefined }
  | { state: 'failed'; session: string; command: string | undefined; problem: string }
  | {
      state: 'write'
      session: string
      command: string | undefined
      agent: Agent
      content: Buffer
      saved: SavedLog
    }

export interface StepLog {
  step: Oid
  session: string
  /** Directory of a task in the step: the log is cut where the task ended. */
  task: string | undefined
}

export type StepLogPlan = LogPlan & { isTaskEnd?: boolean }

/** A log that cannot be read is reported, not thrown: the files can still be restored. */
export async function planStepLog(
  recorder: Recorder,
  objects: ObjectReader,
  log: StepLog,
): Promise<StepLogPlan> {
  try {
    return await planLog(recorder, objects, log)
  } catch (error) {
    if (!(error instanceof EntireError)) throw error
    return { state: 'failed', session: log.session, command: undefined, problem: error.message }
  }
}

async function planLog(recorder: Recorder, objects: ObjectReader, log: StepLog): Promise<StepLogPlan> {
  const { session } = log
  const state = readSession(recorder.repo, session)
  const agent = state && (await recorder.findAgentByType(state.agentType))
  if (state === undefined || agent === undefined) return { state: 'none' }
  const command = await agent.resume?.command(session)
  const taskEnd = await readTaskEnd(objects, log)
  const isTaskEnd = taskEnd !== undefined
  if (isActive(state)) return { state: 'running', session, command, isTaskEnd }
  if (agent.sections !== undefined) return { state: 'unchanged', session, command, isTaskEnd }
  const stored = await readStepTranscript(objects, log.step, session, agent.cutter)
  const shape = stored && agent.transcript.shape(stored.subarray(0, 256).toString('utf8'))
  const path = shape && (await findLogPath(recorder, agent, session, { shape }))
  if (stored === undefined || path === undefined) return { state: 'none' }
  const wanted = taskEnd === undefined ? stored : cutAt(agent, stored, taskEnd)
  const live = readBytes(path)
  const content = (live && (await matchingBeginning(recorder, live, wanted))) ?? withNewline(agent, wanted)
  if (live?.equals(content)) return { state: 'unchanged', session, command, isTaskEnd }
  const saved = { session, path, before: live && fingerprint(live), after: fingerprint(content) }
  return { state: 'write', session, command, agent, content, saved, isTaskEnd }
}

async function readTaskEnd(objects: ObjectReader, { step, task }: StepLog): Promise<string | undefined> {
  const file = task === undefined ? undefined : await objects.contents(`${step}:${task}/checkpoint.json`)
  return asString(asObject(parseJson(file?.content.toString('utf8') ?? ''))?.checkpoint_uuid) || undefined
}

function cutAt(agent: Agent, transcript: Buffer, id: string): Buffer {
  const { shape, truncateAt } = agent.transcript
  if (truncateAt === undefined || shape(transcript.subarray(0, 256).toString('utf8')) === 'document')
    return transcript
  return Buffer.from(truncateAt(transcript.toString('utf8').trimEnd().split('\n'), id).join('\n'))
}

function withNewline(agent: Agent, content: Buffer): Buffer {
  const isLines = agent.transcript.shape(content.subarray(0, 256).toString('utf8')) === 'lines'
  return isLines && content.at(-1) !== 10 ? Buffer.concat([content, Buffer.of(10)]) : content
}

export interface LogReport {
  state: LogPlan['state']
  session?: string
  path?: string
  command?: string | undefined
  backup?: string
  problem?: string
}

export function reportLog(log: LogPlan): LogReport {
  if (log.state === 'none') return { state: 'none' }
  const more =
    log.state === 'write' ? { path: log.saved.path } : log.state === 'failed' ? { problem: log.problem } : {}
  return { state: log.state, session: log.session, command: log.command, ...more }
}

/** A failure is reported, not thrown: the files are restored already. */
export async function writeStepLog(
  recorder: Recorder,
  objects: ObjectReader,
  log: LogPlan,
): Promise<LogReport> {
  if (log.state !== 'write') return reportLog(log)
  try {
    await countReplaced(recorder, objects, log.agent, log.session)
    return { ...reportLog(log), ...(await writeSessionLog(recorder, log.agent, log.session, log.content)) }
  } catch (error) {
    return { ...reportLog(log), state: 'failed', problem: messageOf(error) }
  }
}

/** What was spent counts, although the log that shows it is replaced. */
async function countReplaced(
  recorder: Recorder,
  objects: ObjectReader,
  agent: Agent,
  id: string,
): Promise<void> {
  const session = readSession(recorder.repo, id)
  if (session === undefined || session.baseCommit === '') return
  if (await countUnread({ recorder, objects, agent, session, sampleOid: session.baseCommit }))
    writeSession(recorder.repo, session)
}

/** Restores the log of a step without its files. */
export async function restoreStepLog(
  recorder: Recorder,
  objects: ObjectReader,
  log: StepLog,
  options: { dryRun: boolean },
): Promise<LogReport> {
  using _lock = await takeLock(lockFile(recorder.repo), { waitMs: lockWaitMs })
  const plan = await planStepLog(recorder, objects, log)
  return options.dryRun ? reportLog(plan) : writeStepLog(recorder, objects, plan)
}

/** Restores the session logs of a commit's checkpoint. */
export async function restoreCommitLogs(
  recorder: Recorder,
  objects: ObjectReader,
  plan: RestorePlan,
): Promise<RestoredLog[]> {
  const restored: RestoredLog[] = []
  for (const log of plan.logs)
    restored.push(
      ...((await cutLog(recorder, objects, log)) ??
        (await restoreLogs(recorder, objects, { logs: [log], warnings: [] }))),
    )
  return restored
}

async function cutLog(
  recorder: Recorder,
  objects: ObjectReader,
  log: LogToRestore,
): Promise<RestoredLog[] | undefined> {
  const live = readBytes(log.path)
  const stored = live && (await readTranscript(objects, log.session, log.agent.cutter))
  const content = stored && (await matchingBeginning(recorder, live, stored))
  const written = content && (await writeSessionLog(recorder, log.agent, log.session.session, content))
  if (written === undefined) return undefined
  return [
    { session: log.session.session, agent: log.agent.type, prompt: log.prompt, state: log.state, ...written },
  ]
}

/** The beginning of the log on disk that says what the stored log says; undefined when it differs. */
async function matchingBeginning(
  recorder: Recorder,
  live: Buffer,
  stored: Buffer,
): Promise<Buffer | undefined> {
  const text = stored.toString('utf8').trimEnd()
  const count = text.split('\n').length
  let end = -1
  let start = 0
  for (let line = 0; line < count; line += 1) {
    start = end + 1
    end = live.indexOf(10, start)
    if (end === -1) return undefined
  }
  const { json } = await recorder.redaction()
  const [line, last] = [live.toString('utf8', start, end), text.slice(text.lastIndexOf('\n') + 1)]
  // The last line of a document is not an entry, and proves nothing.
  const isSame = asObject(parseJson(last)) !== undefined && (line === last || json(line) === last)
  return isSame ? live.subarray(0, end + 1) : undefined
}
