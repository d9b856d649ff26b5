// Lists the points to rewind to: steps of the sessions at HEAD, and commits that have a checkpoint.

import { oldShadowRef, sessionDir, shadowRef } from '../checkpoints/layout.ts'
import { readLeftOut } from '../checkpoints/left-out.ts'
import { linkCheckpoints } from '../checkpoints/links.ts'
import { ownPrompt, parsePrompts, splitPrompts } from '../checkpoints/prompt-files.ts'
import { readStoredPrompts, readTranscript, type TranscriptJoiner } from '../checkpoints/read.ts'
import { taskDirOf, turnAfter } from '../checkpoints/step.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import { type LogEntry, readLog } from '../git/log.ts'
import type { Oid } from '../git/oid.ts'
import { listRefs } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { readTrailer } from '../git/trailers.ts'
import type { Session } from '../model/session.ts'
import type { StrategyName } from '../model/settings.ts'
import { readNewestCheckpoint } from '../resume/find.ts'
import { given } from '../std/given.ts'

export interface RewindPoint {
  /** A step's commit, or the user's commit. */
  id: string
  message: string
  /** RFC 3339, as git prints it. */
  date: string
  metadataDir: string
  isTask: boolean
  toolUse?: string
  /** A commit: only its session logs can be restored, without moving the branch. */
  isLogsOnly: boolean
  checkpoint?: string
  session?: string
  prompt?: string
  /** A commit made by the auto-commit strategy. */
  isOwnCommit?: boolean
  /** The state before a turn, not the work of an agent. */
  isBeforeTurn?: boolean
  /** Files that the step could not hold. */
  leftOut?: string[]
}

/** What the points depend on besides git. */
export interface PointSource {
  findSession(id: string): Session | undefined
  strategy: StrategyName
}

const limit = 20
const commitsWalked = 50

/**
 * Newest first. The cost depends on neither the length of the history nor the number of sessions and
 * checkpoints.
 */
export async function readRewindPoints(
  repo: Repo,
  objects: ObjectReader,
  source: PointSource,
): Promise<RewindPoint[]> {
  const [steps, commits, unshared] = await Promise.all([
    readStepPoints(repo, objects, source),
    readLog(repo, [`-${commitsWalked}`, 'HEAD']).then((history) => readCommitPoints(objects, history)),
    source.strategy === 'auto-commit' ? readUnsharedCommits(repo) : new Set<string>(),
  ])
  const known = new Set(steps.map((step) => step.id))
  const others = commits.filter((point) => !known.has(point.id))
  // A commit of the auto-commit strategy counts as a step, unless it is on a shared branch, which must not be
  // moved back.
  return newest([
    ...steps,
    ...others.map((point) => ({ ...point, isLogsOnly: !(point.isOwnCommit && unshared.has(point.id)) })),
  ])
}

// Steps of this work tree only: those of others are snapshots of other files.
async function readStepPoints(
  repo: Repo,
  objects: ObjectReader,
  source: PointSource,
): Promise<RewindPoint[]> {
  const head = (await objects.info('HEAD'))?.oid
  const tip = head === undefined ? undefined : await findStepTip(repo, objects, head)
  if (head === undefined || tip === undefined) return []
  const commits = await readLog(repo, [`-${limit * 5}`, '--first-parent', tip.oid])
  const all = commits.map(parseStep)
  const named = [...new Set(all.flatMap(({ session }) => session ?? []))]
  const here = new Set(named.filter((id) => isHere(source.findSession(id), repo, head)))
  const steps = newest(all.filter(({ session }) => session !== undefined && here.has(session)))
  const prompts = await readPromptsOfSteps(objects, steps)
  // A step that carries files forward after a commit has no prompt.
  const promptOf = (session: string) => prompts.get(session) ?? source.findSession(session)?.firstPrompt
  return Promise.all(
    steps.map(async (step) => {
      const leftOut = await readLeftOut(objects, step.id)
      return withPrompt(leftOut.length > 0 ? { ...step, leftOut } : step, promptOf(step.session ?? ''))
    }),
  )
}

async function findStepTip(repo: Repo, objects: ObjectReader, head: string) {
  const tip = await objects.info(shadowRef(head, repo.worktreeId))
  return tip === undefined && repo.worktreeId === '' ? await objects.info(oldShadowRef(head)) : tip
}

function isHere(session: Session | undefined, repo: Repo, head: string): boolean {
  return session?.baseCommit === head && session.worktreeId === repo.worktreeId
}

/** Commits that are not on a main branch. */
async function readUnsharedCommits(repo: Repo): Promise<Set<string>> {
  const shared = [
    'refs/heads/main',
    'refs/heads/master',
    'refs/remotes/origin/main',
    'refs/remotes/origin/master',
  ]
  const tips = await listRefs(repo, ...shared)
  const commits = await readLog(repo, [`-${commitsWalked}`, 'HEAD', ...tips.map(({ oid }) => `^${oid}`)])
  return new Set(commits.map(({ oid }) => oid))
}

function parseStep(commit: LogEntry): RewindPoint {
  const task = taskDirOf(commit.message)
  const session = readTrailer(commit.message, 'Entire-Session')[0]
  const toolUse = task?.split('/tasks/')[1]
  return {
    id: commit.oid,
    message: commit.subject,
    date: commit.authoredAt,
    metadataDir: task ?? readTrailer(commit.message, 'Entire-Metadata')[0] ?? '',
    isTask: task !== undefined,
    ...given({ toolUse }),
    isLogsOnly: false,
    ...given({ session }),
    ...(turnAfter(commit.message) === undefined ? {} : { isBeforeTurn: true }),
  }
}

// The first prompt of each session, read from its newest step.
async function readPromptsOfSteps(
  objects: ObjectReader,
  steps: RewindPoint[],
): Promise<Map<string, string | undefined>> {
  const newestOf = new Map(steps.toReversed().map((step) => [step.session ?? '', step.id]))
  const reads = [...newestOf].map(async ([session, id]): Promise<[string, string | undefined]> => {
    const file = await objects.contents(`${id}:${sessionDir(session)}/prompt.txt`)
    return [session, parsePrompts(file?.content.toString('utf8') ?? '')[0]]
  })
  return new Map(await Promise.all(reads))
}

// Stops at the limit, so that older checkpoints are not read.
async function readCommitPoints(objects: ObjectReader, history: LogEntry[]): Promise<RewindPoint[]> {
  const linked = (await linkCheckpoints(objects, history)).toSorted(
    (a, b) => timeOf(b.commit.authoredAt) - timeOf(a.commit.authoredAt),
  )
  const points: RewindPoint[] = []
  for (let at = 0; at < linked.length && points.length < limit; at += limit) {
    const some = linked
      .slice(at, at + limit)
      .map(({ commit, checkpoints }) => readCommitPoint(objects, commit, checkpoints))
    points.push(...(await Promise.all(some)).filter((point) => point !== undefined))
  }
  return points
}

async function readCommitPoint(
  objects: ObjectReader,
  commit: LogEntry,
  ids: string[],
): Promise<RewindPoint | undefined> {
  const checkpoint = await readNewestCheckpoint(objects, ids)
  const session = checkpoint?.sessions.at(-1)
  if (checkpoint === undefined || session === undefined) return undefined
  const point: RewindPoint = {
    id: commit.oid,
    message: commit.subject,
    date: commit.authoredAt,
    metadataDir: '',
    isTask: session.isTask === true,
    ...(session.isTask && session.toolUse !== undefined ? { toolUse: session.toolUse } : {}),
    isLogsOnly: true,
    checkpoint: checkpoint.checkpoint,
    session: session.session,
    ...(session.strategy === 'auto-commit' ? { isOwnCommit: true } : {}),
  }
  return withPrompt(point, ownPrompt(session, await readStoredPrompts(objects, session)))
}

function withPrompt(point: RewindPoint, prompt: string | undefined): RewindPoint {
  return prompt === undefined ? point : { ...point, prompt: shorten(prompt) }
}

function shorten(prompt: string): string {
  const characters = [...prompt]
  return characters.length > 60 ? `${characters.slice(0, 57).join('')}...` : prompt
}

function newest(points: RewindPoint[]): RewindPoint[] {
  return points.toSorted((a, b) => timeOf(b.date) - timeOf(a.date)).slice(0, limit)
}

function timeOf(date: string): number {
  return Date.parse(date)
}

/** The session log up to the step; undefined for a step that only carries files forward. */
export async function readStepTranscript(
  objects: ObjectReader,
  step: Oid,
  session: string,
  joiner?: TranscriptJoiner,
): Promise<Buffer | undefined> {
  const dir = await objects.info(`${step}:${sessionDir(session)}`)
  if (dir === undefined) return undefined
  const record = {
    checkpoint: '',
    session,
    strategy: '',
    createdAt: '',
    steps: 0,
    files: [],
    transcriptStart: 0,
  }
  return readTranscript(objects, { ...record, dir: dir.oid }, joiner)
}

/** The prompts up to the step. */
export async function readStepPrompts(objects: ObjectReader, step: Oid, session: string): Promise<string[]> {
  const file = await objects.contents(`${step}:${sessionDir(session)}/prompt.txt`)
  return splitPrompts(file?.content.toString('utf8') ?? '')
}
