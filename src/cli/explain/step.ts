// Reads a step and formats it: the prompts and the conversation of its session.

import { sessionDir } from '../../checkpoints/layout.ts'
import { readStoredPrompts, type StoredSession } from '../../checkpoints/read.ts'
import { isTask } from '../../checkpoints/step.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import type { LogEntry } from '../../git/log.ts'
import type { Repo } from '../../git/repo.ts'
import { readTrailer } from '../../git/trailers.ts'
import { readSession } from '../../sessions/store.ts'
import { EntireError } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import type { JsonObject } from '../../std/json.ts'
import { localTime } from '../render/numbers.ts'
import { clean } from '../render/text.ts'
import { type DetailShape, summaryLines } from './checkpoint.ts'
import { readStoredConversation, type StoredConversation, transcriptLines } from './conversation.ts'

export interface StepDetail {
  step: LogEntry
  prompts: string[]
  conversation: StoredConversation
}

/** The session data in a step, in the form of a checkpoint; undefined when there is none. */
export async function readStepSession(
  repo: Repo,
  objects: ObjectReader,
  step: LogEntry,
): Promise<StoredSession | undefined> {
  const session = readTrailer(step.message, 'Entire-Session')[0]
  return session === undefined ? undefined : await readSessionAt(repo, objects, step.oid, session)
}

async function readSessionAt(
  repo: Repo,
  objects: ObjectReader,
  commit: string,
  session: string,
): Promise<StoredSession | undefined> {
  const dir = await objects.info(`${commit}:${sessionDir(session)}`)
  if (dir?.type !== 'tree') return undefined
  const agent = findAgentType(repo, session)
  const none = { checkpoint: '', strategy: '', createdAt: '', steps: 0, files: [], transcriptStart: 0 }
  return { ...none, session, dir: dir.oid, ...given({ agent }) }
}

export async function readStepDetail(
  repo: Repo,
  objects: ObjectReader,
  step: LogEntry,
  scope: DetailShape['scope'],
): Promise<StepDetail> {
  const session = await readStepSession(repo, objects, step)
  if (session === undefined) return { step, prompts: [], conversation: { entries: [] } }
  const before =
    step.parents[0] === undefined
      ? undefined
      : await readSessionAt(repo, objects, step.parents[0], session.session)
  const [prompts, all, known] = await Promise.all([
    readStoredPrompts(objects, session),
    scope === 'none' ? { entries: [] } : readStoredConversation(objects, session, 'full'),
    scope === 'checkpoint' && before !== undefined
      ? readStoredConversation(objects, before, 'full')
      : { entries: [] },
  ])
  // Without the entries of the previous step.
  return { step, prompts, conversation: { ...all, entries: all.entries.slice(known.entries.length) } }
}

export function stepLines({ step, prompts, conversation }: StepDetail, shape: DetailShape): string[] {
  const session = readTrailer(step.message, 'Entire-Session')[0]
  return [
    `Step: ${shape.paint('cyan', step.oid.slice(0, 7))}`,
    ...(session === undefined ? [] : [`Session: ${clean(session)}`]),
    `Created: ${localTime(step.committedAt)}`,
    '',
    ...summaryLines(undefined, prompts[0] ?? step.subject),
    ...(shape.scope === 'none'
      ? []
      : [
          '',
          shape.scope === 'full' ? 'Transcript (full session):' : 'Transcript (step scope):',
          ...transcriptLines(conversation, shape),
        ]),
  ]
}

export function stepJson(
  { step, prompts, conversation }: StepDetail,
  scope: DetailShape['scope'],
): JsonObject {
  const session = readTrailer(step.message, 'Entire-Session')[0]
  return {
    step_id: step.oid,
    is_temporary: true,
    is_task: isTask(step.message),
    ...given({ session_id: session }),
    created_at: step.committedAt,
    message: step.subject,
    prompts,
    ...(scope === 'none' ? {} : { transcript: conversation.entries.map((entry) => ({ ...entry })) }),
    ...given({ transcript_problem: conversation.problem }),
  }
}

// A step does not name its agent; the state of its session does, while it exists.
function findAgentType(repo: Repo, session: string): string | undefined {
  try {
    return readSession(repo, session)?.agentType || undefined
  } catch (error) {
    if (error instanceof EntireError) return undefined
    throw error
  }
}
