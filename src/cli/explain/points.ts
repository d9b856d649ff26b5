// The points of a list: what a checkpoint or a step says about a commit.
import type { CheckpointHead } from '../../checkpoints/heads.ts'
import { sessionDir } from '../../checkpoints/layout.ts'
import { parsePrompts } from '../../checkpoints/read.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import type { LogEntry } from '../../git/log.ts'
import { readTrailer } from '../../git/trailers.ts'
import type { Session } from '../../model/session.ts'

export interface BranchPoint {
  /** Checkpoint id, or the session's for a step. */
  group: string
  isStep: boolean
  isTask: boolean
  sessions: string[]
  prompt: string | undefined
  agent: string | undefined
  commit: LogEntry
}

export function checkpointPoint(id: string, head: CheckpointHead, commit: LogEntry): BranchPoint {
  return { group: id, isStep: false, isTask: head.isTask, sessions: head.sessions, prompt: head.prompt, agent: head.agent, commit }
}

/** Without its prompt, which is read when it is shown. */
export function stepPoint(commit: LogEntry): BranchPoint {
  const session = readTrailer(commit.message, 'Entire-Session')[0]
  return {
    group: session ?? 'temporary',
    isStep: true,
    isTask: readTrailer(commit.message, 'Entire-Metadata-Task').length > 0,
    sessions: session === undefined ? [] : [session],
    prompt: undefined,
    agent: undefined,
    commit,
  }
}

/** One look per session, at its newest step: that is the one whose prompt is shown. What a commit left over is a step without one. */
export async function withStepPrompts(
  objects: ObjectReader,
  points: BranchPoint[],
  findSession: (id: string) => Session | undefined,
): Promise<BranchPoint[]> {
  const prompts = new Map<string, Promise<string | undefined>>()
  const read = async (point: BranchPoint) => (await readStepPrompt(objects, point)) ?? findSession(point.group)?.firstPrompt
  for (const point of points.filter(({ isStep }) => isStep)) if (!prompts.has(point.group)) prompts.set(point.group, read(point))
  return await Promise.all(points.map(async (point) => (point.isStep ? { ...point, prompt: await prompts.get(point.group) } : point)))
}

async function readStepPrompt(objects: ObjectReader, { sessions: [session], commit }: BranchPoint): Promise<string | undefined> {
  const file = session === undefined ? undefined : await objects.contents(`${commit.oid}:${sessionDir(session)}/prompt.txt`)
  return parsePrompts(file?.content.toString('utf8') ?? '')[0]
}

export function newestFirst(points: BranchPoint[]): BranchPoint[] {
  const times = new Map(points.map(({ commit }) => [commit, Date.parse(commit.committedAt)]))
  const time = ({ commit }: BranchPoint) => times.get(commit) as number
  return points.toSorted((a, b) => time(b) - time(a))
}
