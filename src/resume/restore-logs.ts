// Session logs of a checkpoint, put back where their agents look for them. Planned first, because a newer local log is somebody's work.

import { dirname, resolve, sep } from 'node:path'
import { findCopies } from '../checkpoints/copies.ts'
import {
  findTranscriptPieces,
  readStoredPrompts,
  type StoredCheckpoint,
  type StoredSession,
} from '../checkpoints/read.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import { readTree } from '../git/tree.ts'
import type { Agent, LogOrigin } from '../model/agent.ts'
import type { TranscriptSections } from '../model/session-file.ts'
import { readSession } from '../sessions/store.ts'
import type { Recorder } from '../sessions/work.ts'
import { exists } from '../std/file.ts'
import { given } from '../std/given.ts'
import { asObject, asString, parseJson } from '../std/json.ts'
import {
  compareContents,
  compareTimes,
  copyTranscript,
  headBytes,
  incomplete,
  isDigest,
  isWhole,
  type LogState,
  newline,
  readBeginning,
  readLastStoredTime,
  readLastTime,
} from './stored-transcript.ts'
import { deliverToAgent, findLogPath, isPlainId, writeLog } from './write-log.ts'

export interface LogToRestore {
  session: StoredSession
  agent: Agent
  /** Where the agent looks for it on this machine and in this work tree. */
  path: string
  /** The first prompt; to be cleaned by whoever shows it. */
  prompt: string | undefined
  state: LogState
  localLast?: Date
  storedLast?: Date
}

export interface RestorePlan {
  logs: LogToRestore[]
  /** Why sessions were left out; to be cleaned by whoever shows them. */
  warnings: string[]
}

export interface RestoredLog {
  session: string
  agent: string
  path: string
  prompt: string | undefined
  command: string | undefined
  state: LogState
  /** Where the log that was there before is kept. */
  backup?: string
}

/** What restoring all session logs of a checkpoint would write, oldest session first; reads only. */
export async function planRestore(
  recorder: Recorder,
  objects: ObjectReader,
  checkpoint: StoredCheckpoint,
): Promise<RestorePlan> {
  const planned = await Promise.all(checkpoint.sessions.map((session) => planLog(recorder, objects, session)))
  const logs = planned.filter((log) => 'path' in log)
  const leftOut = planned.filter((log) => 'why' in log)
  // One that is lost does not keep the others from being restored; where there is no other, it is what went wrong.
  if (logs.length === 0 && leftOut.some(({ isLost }) => isLost)) throw incomplete()
  return {
    // Two records of one session would be written to one place; the later one counts.
    logs: logs.filter((log, index) => !logs.slice(index + 1).some(({ path }) => path === log.path)),
    warnings: leftOut.map(({ why }) => why),
  }
}

/** Writes them: a log that is as stored stays untouched, one that is replaced is kept beside. */
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

/** How to go on with a log, whether it was written or is there already. */
export async function asRestoredLog({
  session: { session },
  agent,
  path,
  prompt,
  state,
}: LogToRestore): Promise<RestoredLog> {
  return { session, agent: agent.type, path, prompt, command: await agent.resume?.command(session), state }
}

/** Writes one transcript to the agent's place; undefined when there is none for it. */
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

interface LeftOut {
  why: string
  /** Something of it was there once. */
  isLost?: true
}

async function planLog(
  recorder: Recorder,
  objects: ObjectReader,
  session: StoredSession,
): Promise<LogToRestore | LeftOut> {
  const agent = await findAgent(recorder, session)
  if (agent === undefined)
    return {
      why:
        `Session ${session.session} was recorded by an agent that is not known here (${session.agent}); it is left out. ` +
        'If it has a plugin, put that on your PATH and run `entire enable --agent <its name>`.',
    }
  if (!isPlainId(session.session))
    return {
      why: `${JSON.stringify(session.session)} is not a session id that could be restored; it is left out.`,
    }
  const pieces = await findTranscriptPieces(objects, session)
  if (!(await isWhole(objects, pieces)))
    return {
      why: `Session ${session.session} is left out: a part of its stored log is missing in this repository.`,
      isLost: true,
    }
  if (pieces.length === 0)
    return { why: `Session '${session.session}' found in commit trailer but session log not available` }
  const [head, prompts, storedLast] = await Promise.all([
    readBeginning(objects, pieces),
    readStoredPrompts(objects, session),
    readLastStoredTime(objects, pieces),
  ])
  if (isDigest(head))
    return {
      why: `Only a digest of session ${session.session} is stored, which its agent cannot continue; it is left out.`,
    }
  const path = await findLogPath(
    recorder,
    agent,
    session.session,
    originOf(session, agent.transcript.shape(head)),
  )
  if (path === undefined)
    return { why: `${agent.type} has no place for session ${session.session}; it is left out.` }
  const localLast = readLastTime(path)
  return {
    session,
    agent,
    path,
    prompt: prompts[0],
    state: agent.sections
      ? compareSections(agent.sections, { session, path })
      : localLast === undefined && storedLast === undefined
        ? await compareContents(objects, { session, agent, path })
        : compareTimes(localLast, storedLast),
    ...given({ localLast }),
    ...given({ storedLast }),
  }
}

// Records of the first versions name no agent, or all of them `Agent`: there was only one.
async function findAgent(
  { loadAgents, findAgentByType }: Recorder,
  { agent }: StoredSession,
): Promise<Agent | undefined> {
  return agent === undefined || agent === '' || agent === 'Agent'
    ? (await loadAgents())[0]
    : await findAgentByType(agent)
}

function originOf(session: StoredSession, shape: 'lines' | 'document'): LogOrigin {
  const name = session.transcriptPath?.split(/[/\\]/).at(-1)
  return {
    shape,
    ...given({ name }),
    ...(session.createdAt === '' ? {} : { startedAt: session.createdAt }),
  }
}

// A file of all sessions is only ever added to.
function compareSections(
  sections: TranscriptSections,
  { session, path }: Pick<LogToRestore, 'session' | 'path'>,
): LogState {
  return sections.find(path, session.session) === undefined ? 'new' : 'unchanged'
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

// Transcripts of subagents, where a checkpoint has them. One that is there already is left alone: it is at least as complete.

interface MainLog {
  session: StoredSession
  agent: Agent
  path: string
}

export async function restoreSubagents(
  recorder: Recorder,
  objects: ObjectReader,
  log: MainLog,
): Promise<void> {
  if (log.agent.subagents === undefined) return
  for (const task of await findTasks(objects, log.session)) {
    for (const file of await readTree(objects, task)) {
      const subagent = /^agent-([A-Za-z0-9_-]+)\.jsonl$/.exec(file.name)?.[1]
      if (subagent !== undefined && (await isOf(objects, task, log)))
        await restoreSubagent(recorder, objects, log, subagent, file.oid)
    }
  }
}

// Beside the sessions of the checkpoint; below the session where its whole metadata was copied.
async function findTasks(objects: ObjectReader, { checkpoint, dir }: StoredSession): Promise<Oid[]> {
  const trees = [dir]
  for await (const place of findCopies(objects, checkpoint)) trees.push(place.tree)
  const tasks = await Promise.all([...new Set(trees)].map((tree) => readTree(objects, `${tree}:tasks`)))
  return tasks.flat().flatMap((entry) => (entry.isTree ? [entry.oid] : []))
}

async function isOf(objects: ObjectReader, task: string, log: MainLog): Promise<boolean> {
  const file = await objects.contents(`${task}:checkpoint.json`)
  const session = asString(asObject(parseJson(file?.content.toString('utf8') ?? ''))?.session_id)
  return session === undefined || session === log.session.session
}

async function restoreSubagent(
  { clock }: Recorder,
  objects: ObjectReader,
  log: MainLog,
  subagent: string,
  oid: string,
): Promise<void> {
  const path = log.agent.subagents?.transcriptPath(log.path, subagent)
  if (path === undefined || exists(path) || !resolve(path).startsWith(dirname(log.path) + sep)) return
  const stored = await objects.contents(oid)
  if (stored === undefined) return
  const writing = writeLog(path, clock())
  writing.write(stored.content)
  writing.finish()
}
