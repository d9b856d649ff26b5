// Plans which session logs of a checkpoint to restore, where to, and whether that replaces a newer local log.
// Changes nothing.

import { closeSync } from 'node:fs'
import {
  findTranscriptChunks,
  readStoredPrompts,
  type StoredCheckpoint,
  type StoredSession,
} from '../checkpoints/read.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { Agent, LogOrigin } from '../model/agent.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { fileSize, openRegular, readRange } from '../std/file.ts'
import { given } from '../std/given.ts'
import {
  copyTranscript,
  incomplete,
  isDigest,
  isWhole,
  readBeginning,
  readLastStoredTime,
  readLastTime,
} from './stored-transcript.ts'
import { findLogPath, isPlainId } from './write-log.ts'

export interface RestorePlan {
  logs: LogToRestore[]
  /** Why sessions were skipped; not cleaned for a terminal. */
  warnings: string[]
}

export interface LogToRestore {
  session: StoredSession
  agent: Agent
  /** Where the agent looks for it on this machine and in this work tree. */
  path: string
  /** The first prompt; not cleaned for a terminal. */
  prompt: string | undefined
  state: LogState
  localLast?: Date
  storedLast?: Date
}

/** How a stored log compares with the local one. */
export type LogState = 'new' | 'unchanged' | 'checkpoint-newer' | 'local-newer'

/** Plans all session logs of a checkpoint, oldest session first. */
export async function planRestore(
  recorder: Recorder,
  objects: ObjectReader,
  checkpoint: StoredCheckpoint,
): Promise<RestorePlan> {
  const planned = await Promise.all(checkpoint.sessions.map((session) => planLog(recorder, objects, session)))
  const logs = planned.filter((log) => 'path' in log)
  const skipped = planned.filter((log) => 'why' in log)
  // A lost log is an error only where no other one can be restored.
  if (logs.length === 0 && skipped.some(({ isLost }) => isLost)) throw incomplete()
  return {
    // Of two records of one session, which have the same path, the later one counts.
    logs: logs.filter((log, index) => !logs.slice(index + 1).some(({ path }) => path === log.path)),
    warnings: skipped.map(({ why }) => why),
  }
}

interface SkippedLog {
  why: string
  /** A part of the stored log is missing. */
  isLost?: true
}

async function planLog(
  recorder: Recorder,
  objects: ObjectReader,
  session: StoredSession,
): Promise<LogToRestore | SkippedLog> {
  const skipped = (why: string): SkippedLog => ({ why: `Session ${session.session} was skipped: ${why}` })
  const agent = await findAgent(recorder, session)
  if (agent === undefined)
    return skipped(
      `its agent (${session.agent}) is not known here. ` +
        'If it has a plugin, put that on your PATH and run `entire enable --agent <its name>`.',
    )
  if (!isPlainId(session.session))
    return { why: `Session ${JSON.stringify(session.session)} was skipped: its id is not valid.` }
  const chunks = await findTranscriptChunks(objects, session)
  if (!(await isWhole(objects, chunks)))
    return { ...skipped('a part of its stored log is missing in this repository.'), isLost: true }
  if (chunks.length === 0)
    return { why: `Session '${session.session}' found in commit trailer but session log not available` }
  const [beginning, prompts, storedLast] = await Promise.all([
    readBeginning(objects, chunks),
    readStoredPrompts(objects, session),
    readLastStoredTime(objects, chunks),
  ])
  if (isDigest(beginning)) return skipped('only a digest of it is stored, which its agent cannot continue.')
  const origin = originOf(session, agent.transcript.shape(beginning))
  const path = await findLogPath(recorder, agent, session.session, origin)
  if (path === undefined) return skipped(`${agent.type} has no place for its log.`)
  const localLast = readLastTime(path)
  const state = await compareLog(objects, { session, agent, path }, { localLast, storedLast })
  return { session, agent, path, prompt: prompts[0], state, ...given({ localLast, storedLast }) }
}

// Records of the first versions have no agent, or the agent `Agent`: there was only one.
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

type ComparedLog = Pick<LogToRestore, 'session' | 'agent' | 'path'>

async function compareLog(
  objects: ObjectReader,
  log: ComparedLog,
  { localLast, storedLast }: { localLast: Date | undefined; storedLast: Date | undefined },
): Promise<LogState> {
  const { agent, path, session } = log
  // A file that holds all sessions is only appended to.
  if (agent.sections) return agent.sections.find(path, session.session) === undefined ? 'new' : 'unchanged'
  if (localLast === undefined && storedLast === undefined) return compareContents(objects, log)
  return compareTimes(localLast, storedLast)
}

function compareTimes(local: Date | undefined, stored: Date | undefined): LogState {
  if (local === undefined || stored === undefined) return 'new'
  if (local.getTime() === stored.getTime()) return 'unchanged'
  return local.getTime() > stored.getTime() ? 'local-newer' : 'checkpoint-newer'
}

// The longer log counts as the newer one, also when they differ, so that no local work is replaced without a
// question.
async function compareContents(objects: ObjectReader, log: ComparedLog): Promise<LogState> {
  const size = fileSize(log.path)
  if (size === undefined) return 'new'
  const fd = openRegular(log.path)
  let stored = 0
  let isSame = true
  try {
    await copyTranscript(objects, log, (bytes) => {
      const local = isSame
        ? readRange(fd, stored, Math.min(bytes.length, Math.max(0, size - stored)))
        : undefined
      isSame = local?.equals(bytes.subarray(0, local.length)) === true
      stored += bytes.length
    })
  } finally {
    closeSync(fd)
  }
  if (isSame && stored === size) return 'unchanged'
  return size > stored ? 'local-newer' : 'checkpoint-newer'
}
