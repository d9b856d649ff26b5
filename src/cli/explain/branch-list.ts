// What happened on a branch: its commits with checkpoints, and the steps that no commit has taken in yet. Of all that only the newest
// points are read, those that are shown.

import { isShadowRef, oldShadowRef, sessionDir, shadowRef } from '../../checkpoints/layout.ts'
import { linkCheckpoints } from '../../checkpoints/links.ts'
import {
  type BranchRoots,
  type CheckpointHead,
  prefetchRoots,
  readCheckpointHeads,
} from '../../checkpoints/list.ts'
import { parsePrompts } from '../../checkpoints/prompt-files.ts'
import { type Branches, readBranches } from '../../git/branches.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import { type LogEntry, readLog } from '../../git/log.ts'
import type { RefTip } from '../../git/refs.ts'
import type { Repo } from '../../git/repo.ts'
import { readTrailer } from '../../git/trailers.ts'
import type { Session } from '../../model/session.ts'
import { findSessionState } from '../../sessions/store.ts'
import { given } from '../../std/given.ts'
import type { JsonObject } from '../../std/json.ts'
import { localTime } from '../render/numbers.ts'
import { clean, cut, fit } from '../render/text.ts'
import type { Look } from './conversation.ts'

const commitsWalked = 500
const pointsKept = 100

export interface ListOptions {
  /** Only sessions whose id starts like this. */
  session?: string
  /** However many commits and points there are. */
  everything?: boolean
}

export interface BranchView {
  /** Undefined when HEAD is detached. */
  branch: string | undefined
  session?: string
  points: BranchPoint[]
  /** Checkpoints that commits of the branch name, and that could not be read. */
  unreadable: string[]
}

export async function readBranchPoints(
  repo: Repo,
  objects: ObjectReader,
  options: ListOptions = {},
): Promise<BranchView> {
  const roots = prefetchRoots(objects)
  const limit = options.everything ? [] : [`-${commitsWalked}`]
  const [branches, history] = await Promise.all([
    readBranches(repo, 'refs/heads/entire/'),
    readLog(repo, [...limit, 'HEAD']),
  ])
  const [own, steps] = await Promise.all([
    readOwn(repo, branches, history, limit),
    readSteps(repo, branches.refs, history),
  ])
  const selection: Selection = {
    most: options.everything ? Number.POSITIVE_INFINITY : pointsKept,
    includes: ({ sessions }) =>
      options.session === undefined ||
      sessions.some((session) => session.startsWith(options.session as string)),
  }
  const { points, unreadable } = await readCommitted({ repo, objects, roots }, own, selection)
  const all = newestFirst([...points, ...steps.map(stepPoint).filter(selection.includes)])
  return {
    branch: branches.current,
    ...given({ session: options.session }),
    points: await withStepPrompts(objects, all.slice(0, selection.most), (id) => findSessionState(repo, id)),
    unreadable,
  }
}

interface Selection {
  most: number
  includes(point: BranchPoint): boolean
}

// Commits come newest first: as long as there are not enough points, older ones are looked at.
async function readCommitted(
  { repo, objects, roots }: { repo: Repo; objects: ObjectReader; roots: BranchRoots },
  commits: LogEntry[],
  { most, includes }: Selection,
): Promise<Pick<BranchView, 'points' | 'unreadable'>> {
  const points: BranchPoint[] = []
  const unreadable = new Set<string>()
  const size = Math.min(most, commits.length)
  for (let at = 0; at < commits.length && points.length < most; at += size) {
    const linked = await linkCheckpoints(objects, commits.slice(at, at + size))
    const links = linked.flatMap(({ commit, checkpoints }) => checkpoints.map((id) => ({ commit, id })))
    const heads = await readCheckpointHeads(
      repo,
      objects,
      roots,
      links.map(({ id }) => id),
    )
    for (const { commit, id } of links) {
      const head = heads.get(id)
      const point = head && checkpointPoint(id, head, commit)
      if (point === undefined) unreadable.add(id)
      else if (includes(point)) points.push(point)
    }
  }
  return { points, unreadable: [...unreadable] }
}

// On a branch of its own only what is not on the default branch; there, and on no branch, everything that was merged.
async function readOwn(
  repo: Repo,
  branches: Branches,
  history: LogEntry[],
  limit: string[],
): Promise<LogEntry[]> {
  const name = branches.default?.replace(/^refs\/(?:heads|remotes\/origin)\//, '')
  if (branches.default === undefined || branches.current === undefined || branches.current === name)
    return history
  return await readLog(repo, [...limit, 'HEAD', '--first-parent', '--not', branches.default])
}

async function readSteps(repo: Repo, refs: RefTip[], history: LogEntry[]): Promise<LogEntry[]> {
  if (!refs.some(({ ref }) => isShadowRef(ref))) return []
  const here = new Set(
    history.flatMap(({ oid }) => [
      shadowRef(oid, repo.worktreeId),
      ...(repo.worktreeId === '' ? [oldShadowRef(oid)] : []),
    ]),
  )
  const shadows = refs.filter(({ ref }) => here.has(ref))
  return shadows.length === 0 ? [] : await readLog(repo, [`-${pointsKept}`, ...shadows.map(({ oid }) => oid)])
}

// The points of a list: what a checkpoint or a step says about a commit.

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
  return {
    group: id,
    isStep: false,
    isTask: head.isTask,
    sessions: head.sessions,
    prompt: head.prompt,
    agent: head.agent,
    commit,
  }
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
  const read = async (point: BranchPoint) =>
    (await readStepPrompt(objects, point)) ?? findSession(point.group)?.firstPrompt
  for (const point of points.filter(({ isStep }) => isStep))
    if (!prompts.has(point.group)) prompts.set(point.group, read(point))
  return await Promise.all(
    points.map(async (point) =>
      point.isStep ? { ...point, prompt: await prompts.get(point.group) } : point,
    ),
  )
}

async function readStepPrompt(
  objects: ObjectReader,
  { sessions: [session], commit }: BranchPoint,
): Promise<string | undefined> {
  const file =
    session === undefined
      ? undefined
      : await objects.contents(`${commit.oid}:${sessionDir(session)}/prompt.txt`)
  return parsePrompts(file?.content.toString('utf8') ?? '')[0]
}

export function newestFirst(points: BranchPoint[]): BranchPoint[] {
  const times = new Map(points.map(({ commit }) => [commit, Date.parse(commit.committedAt)]))
  const time = ({ commit }: BranchPoint) => times.get(commit) as number
  return points.toSorted((a, b) => time(b) - time(a))
}

// The checkpoints of a branch as a list, newest first.

/** What comes below the line about the branch. */
export function listLines({ session, points }: BranchView, look: Look): string[] {
  const groups = groupPoints(points)
  const head = [
    `Checkpoints: ${groups.length}`,
    ...(session === undefined ? [] : [`Filtered by session: ${clean(session)}`]),
    '',
  ]
  if (groups.length > 0)
    return [
      ...head,
      ...groups.flatMap((group) => [title(group, look), ...group.map((point) => line(point, look)), '']),
    ]
  return [
    ...head,
    'No checkpoints found on this branch.',
    session === undefined
      ? 'Checkpoints appear here when you commit the work of an agent session.'
      : 'Run `entire explain` without --session to see all sessions.',
  ]
}

export function listJson({ branch, session, points }: BranchView): JsonObject {
  return {
    branch: branch ?? '(detached)',
    ...given({ session_filter: session }),
    checkpoints: groupPoints(points).map(groupJson),
  }
}

type Group = [BranchPoint, ...BranchPoint[]]

// Points are sorted, so the groups come in the order of their newest commits.
function groupPoints(points: BranchPoint[]): Group[] {
  return [...Map.groupBy(points, (point) => point.group).values()] as Group[]
}

function title([first]: Group, { paint, width }: Look): string {
  const marks = [first.isTask ? ' [Task]' : '', first.isStep ? ' [temporary]' : ''].join('')
  const prompt = first.prompt === undefined ? '(no prompt)' : `"${cut(first.prompt, 60)}"`
  return fit(`[${paint('cyan', shortId(first))}]${paint('yellow', marks)} ${prompt}`, width)
}

// ULIDs differ at their end, not at their beginning.
function shortId({ group, isStep }: BranchPoint): string {
  return isStep ? clean(group).slice(0, 12) : group
}

function line({ commit }: BranchPoint, { paint, width }: Look): string {
  const when = localTime(commit.committedAt).slice(5, 16)
  return fit(`  ${paint('dim', `${when} (${commit.oid.slice(0, 7)})`)} ${cut(commit.subject, 80)}`, width)
}

function groupJson(group: Group): JsonObject {
  const [first] = group
  return {
    ...(first.isStep ? { session_id: first.group } : { checkpoint_id: first.group }),
    is_temporary: first.isStep,
    is_task: first.isTask,
    session_ids: first.sessions,
    ...given({ agent: first.agent }),
    ...given({ prompt: first.prompt }),
    commits: group.map(({ commit }) => ({
      id: commit.oid,
      date: commit.committedAt,
      message: commit.subject,
    })),
  }
}
