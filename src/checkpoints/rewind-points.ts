// The places one can go back to: steps of the sessions at HEAD, and commits whose checkpoints still hold the session logs.
import type { ObjectReader } from '../git/cat-file.ts'
import { type LogEntry, readLog } from '../git/log.ts'
import type { Repo } from '../git/repo.ts'
import { readTrailer } from '../git/trailers.ts'
import type { Session } from '../model/session.ts'
import { sessionDir, shadowRef } from './layout.ts'
import { linkCheckpoints } from './links.ts'
import { parsePrompts, readCheckpoint, readPrompts, type StoredCheckpoint } from './read.ts'

export interface RewindPoint {
  /** A step's commit, or the user's commit. */
  id: string
  message: string
  /** RFC 3339, as git tells it. */
  date: string
  metadataDir: string
  isTask: boolean
  toolUse?: string
  /** The files are those of a commit; only session logs can be restored from our own data. */
  isLogsOnly: boolean
  checkpoint?: string
  session?: string
  prompt?: string
}

const limit = 20
const commitsWalked = 50

export async function readRewindPoints(repo: Repo, objects: ObjectReader, sessions: Session[]): Promise<RewindPoint[]> {
  const history = await readLog(repo, [`-${commitsWalked}`, 'HEAD'])
  const head = history[0]?.oid
  if (head === undefined) return []
  const [steps, commits] = await Promise.all([readSteps(repo, objects, sessions, head), readCommitPoints(objects, history)])
  const known = new Set(steps.map((step) => step.id))
  return newest([...steps, ...commits.filter((point) => !known.has(point.id))])
}

// Steps of other work trees are snapshots of other files: nothing to go back to here.
async function readSteps(repo: Repo, objects: ObjectReader, sessions: Session[], head: string): Promise<RewindPoint[]> {
  const here = new Set(
    sessions.filter((session) => session.baseCommit === head && session.worktreeId === repo.worktreeId).map((session) => session.id),
  )
  if (here.size === 0) return []
  const commits = await readLog(repo, [`-${limit * 5}`, '--first-parent', shadowRef(head, repo.worktreeId)])
  const steps = newest(commits.map(parseStep).filter((step) => step.session !== undefined && here.has(step.session)))
  const prompts = await readStepPrompts(objects, steps)
  return steps.map((step) => withPrompt(step, prompts.get(step.session ?? '')))
}

function parseStep(commit: LogEntry): RewindPoint {
  const task = readTrailer(commit.message, 'Entire-Metadata-Task')[0]
  const session = readTrailer(commit.message, 'Entire-Session')[0]
  const toolUse = task?.split('/tasks/')[1]
  return {
    id: commit.oid,
    message: commit.subject,
    date: commit.authoredAt,
    metadataDir: task ?? readTrailer(commit.message, 'Entire-Metadata')[0] ?? '',
    isTask: task !== undefined,
    ...(toolUse === undefined ? {} : { toolUse }),
    isLogsOnly: false,
    ...(session === undefined ? {} : { session }),
  }
}

// One look per session, at its newest step: the prompt that names a session is its first one.
async function readStepPrompts(objects: ObjectReader, steps: RewindPoint[]): Promise<Map<string, string | undefined>> {
  const newestOf = new Map(steps.toReversed().map((step) => [step.session ?? '', step.id]))
  const reads = [...newestOf].map(async ([session, id]): Promise<[string, string | undefined]> => {
    const file = await objects.contents(`${id}:${sessionDir(session)}/prompt.txt`)
    return [session, parsePrompts(file?.content.toString('utf8') ?? '')[0]]
  })
  return new Map(await Promise.all(reads))
}

async function readCommitPoints(objects: ObjectReader, history: LogEntry[]): Promise<RewindPoint[]> {
  const points = await Promise.all(
    (await linkCheckpoints(objects, history)).map(({ commit, checkpoints }) => commitPoint(objects, commit, checkpoints)),
  )
  return points.filter((point) => point !== undefined)
}

async function commitPoint(objects: ObjectReader, commit: LogEntry, ids: string[]): Promise<RewindPoint | undefined> {
  const stored = await Promise.all(ids.map((id) => readCheckpoint(objects, id)))
  const checkpoint = stored.filter((found) => found !== undefined).sort((a, b) => createdAt(b).localeCompare(createdAt(a)))[0]
  const session = checkpoint?.sessions.at(-1)
  if (checkpoint === undefined || session === undefined) return undefined
  const point = {
    id: commit.oid,
    message: commit.subject,
    date: commit.authoredAt,
    metadataDir: '',
    isTask: false,
    isLogsOnly: true,
    checkpoint: checkpoint.checkpoint,
    session: session.session,
  }
  return withPrompt(point, (await readPrompts(objects, session))[0])
}

function withPrompt(point: RewindPoint, prompt: string | undefined): RewindPoint {
  return prompt === undefined ? point : { ...point, prompt: shorten(prompt) }
}

function shorten(prompt: string): string {
  const characters = [...prompt]
  return characters.length > 60 ? `${characters.slice(0, 57).join('')}...` : prompt
}

function createdAt(checkpoint: StoredCheckpoint): string {
  return checkpoint.sessions.at(-1)?.createdAt ?? ''
}

function newest(points: RewindPoint[]): RewindPoint[] {
  return points.toSorted((a, b) => Date.parse(b.date) - Date.parse(a.date)).slice(0, limit)
}
