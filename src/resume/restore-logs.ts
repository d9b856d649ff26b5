// Restores session logs to where their agents look for them, and keeps replaced logs as backups.

import { dirname, resolve, sep } from 'node:path'
import { findCopies } from '../checkpoints/copies.ts'
import type { StoredSession } from '../checkpoints/read.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import { readTree } from '../git/tree.ts'
import type { Agent } from '../model/agent.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { readSession } from '../sessions/store.ts'
import { exists } from '../std/file.ts'
import { given } from '../std/given.ts'
import { asObject, asString, parseJson } from '../std/json.ts'
import type { LogState, LogToRestore, RestorePlan } from './plan.ts'
import { copyTranscript, headBytes, newline } from './stored-transcript.ts'
import { deliverToAgent, findLogPath, writeLog } from './write-log.ts'

export interface RestoredLog {
  session: string
  agent: string
  path: string
  prompt: string | undefined
  command: string | undefined
  state: LogState
  /** Where the replaced log is kept. */
  backup?: string
}

/** Logs that are as stored stay untouched. */
export async function restoreLogs(
  recorder: Recorder,
  objects: ObjectReader,
  plan: RestorePlan,
): Promise<RestoredLog[]> {
  const restored: RestoredLog[] = []
  for (const log of plan.logs) {
    const backup = log.state === 'unchanged' ? undefined : await restoreLog(recorder, objects, log)
    restored.push({ ...(await asRestoredLog(log)), ...given({ backup }) })
  }
  return restored
}

/** How to continue with a log, whether it was written or was there already. */
export async function asRestoredLog({
  session: { session },
  agent,
  path,
  prompt,
  state,
}: LogToRestore): Promise<RestoredLog> {
  return { session, agent: agent.type, path, prompt, command: await agent.resume?.command(session), state }
}

async function restoreLog(
  recorder: Recorder,
  objects: ObjectReader,
  log: LogToRestore,
): Promise<string | undefined> {
  log.agent.resume?.claim?.(dirname(log.path), recorder.repo.root)
  const taken = log.agent.resume?.deliver && (await deliverLog(recorder, objects, log))
  if (taken !== undefined) return taken.backup
  const writing = writeLog(log.path, recorder.clock())
  try {
    await copyTranscript(objects, log, (bytes) => writing.write(bytes))
  } catch (error) {
    writing.abort()
    throw error
  }
  const backup = writing.finish()
  await restoreSubagents(recorder, objects, log)
  return backup
}

async function deliverLog(
  recorder: Recorder,
  objects: ObjectReader,
  log: LogToRestore,
): Promise<{ backup?: string } | undefined> {
  const pieces: Uint8Array[] = []
  await copyTranscript(objects, log, (bytes) => pieces.push(bytes))
  const { session, createdAt } = log.session
  const delivered = {
    session,
    path: log.path,
    root: recorder.repo.root,
    startedAt: createdAt,
    bytes: Buffer.concat(pieces),
  }
  return await deliverToAgent(recorder, log.agent, delivered)
}

// A transcript that is there already stays: it is at least as complete as the stored one.
async function restoreSubagents(recorder: Recorder, objects: ObjectReader, log: LogToRestore): Promise<void> {
  if (log.agent.subagents === undefined) return
  for (const task of await findTasks(objects, log.session)) {
    for (const file of await readTree(objects, task)) {
      const subagent = /^agent-([A-Za-z0-9_-]+)\.jsonl$/.exec(file.name)?.[1]
      if (subagent !== undefined && (await belongsTo(objects, task, log)))
        await restoreSubagent(recorder, objects, log, { subagent, oid: file.oid })
    }
  }
}

// Tasks are beside the sessions of the checkpoint, or below the session where all of its metadata was copied.
async function findTasks(objects: ObjectReader, { checkpoint, dir }: StoredSession): Promise<Oid[]> {
  const trees = [dir]
  for await (const place of findCopies(objects, checkpoint)) trees.push(place.tree)
  const tasks = await Promise.all([...new Set(trees)].map((tree) => readTree(objects, `${tree}:tasks`)))
  return tasks.flat().flatMap((entry) => (entry.isTree ? [entry.oid] : []))
}

async function belongsTo(objects: ObjectReader, task: string, log: LogToRestore): Promise<boolean> {
  const file = await objects.contents(`${task}:checkpoint.json`)
  const session = asString(asObject(parseJson(file?.content.toString('utf8') ?? ''))?.session_id)
  return session === undefined || session === log.session.session
}

async function restoreSubagent(
  { clock }: Recorder,
  objects: ObjectReader,
  log: LogToRestore,
  { subagent, oid }: { subagent: string; oid: Oid },
): Promise<void> {
  const path = log.agent.subagents?.transcriptPath(log.path, subagent)
  if (path === undefined || exists(path) || !resolve(path).startsWith(dirname(log.path) + sep)) return
  const stored = await objects.contents(oid)
  if (stored === undefined) return
  const writing = writeLog(path, clock())
  writing.write(stored.content)
  writing.finish()
}

/** Writes a transcript to where the agent looks for it; undefined when the agent has no place for it. */
export async function writeSessionLog(
  recorder: Recorder,
  agent: Agent,
  session: string,
  content: string | Uint8Array,
): Promise<{ path: string; command: string | undefined; backup?: string } | undefined> {
  const bytes =
    typeof content === 'string'
      ? Buffer.from(content)
      : Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const shape = agent.transcript.shape(bytes.subarray(0, headBytes).toString('utf8'))
  const path = await findLogPath(recorder, agent, session, { shape })
  if (path === undefined) return undefined
  agent.resume?.claim?.(dirname(path), recorder.repo.root)
  const startedAt = readSession(recorder.repo, session)?.startedAt ?? ''
  const taken = await deliverToAgent(recorder, agent, {
    session,
    path,
    root: recorder.repo.root,
    startedAt,
    bytes,
  })
  if (taken !== undefined) return { path, command: await agent.resume?.command(session), ...taken }
  const writing = writeLog(path, recorder.clock())
  writing.write(bytes)
  if (shape === 'lines' && bytes.at(-1) !== newline) writing.write(Buffer.of(newline))
  const backup = writing.finish()
  return { path, command: await agent.resume?.command(session), ...given({ backup }) }
}
