// Reads the newest points of a branch: its commits with checkpoints, and uncommitted steps.

import { isShadowRef, oldShadowRef, sessionDir, shadowRef } from '../../checkpoints/layout.ts'
import { linkCheckpoints } from '../../checkpoints/links.ts'
import {
  type BranchRoots,
  type CheckpointHead,
  prefetchRoots,
  readCheckpointHeads,
} from '../../checkpoints/list.ts'
import { parsePrompts } from '../../checkpoints/prompt-files.ts'
import { isTask, turnAfter } from '../../checkpoints/step.ts'
import { type Branches, readBranches } from '../../git/branches.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import { type LogEntry, readLog } from '../../git/log.ts'
import type { RefTip } from '../../git/refs.ts'
import type { Repo } from '../../git/repo.ts'
import { readTrailer } from '../../git/trailers.ts'
import type { Session } from '../../model/session.ts'
import { findSessionState } from '../../sessions/store.ts'
import type { EntireError } from '../../std/errors.ts'
import { given } from '../../std/given.ts'

const commitsWalked = 500
const mostPoints = 100

export interface ListOptions {
  /** Only sessions whose id has this prefix. */
  session?: string
  /** All commits and points, without limits. */
  everything?: boolean
}

export interface BranchView {
  /** Undefined when HEAD is detached. */
  branch: string | undefined
  session?: string
  points: BranchPoint[]
  /** Checkpoints that commits of the branch name but that could not be read. */
  unreadable: string[]
  /** Those that this partial clone cannot get, and why. */
  unfetched: Map<string, EntireError>
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
  const [commits, steps] = await Promise.all([
    readBranchCommits(repo, branches, history, limit),
    readSteps(repo, branches.refs, history),
  ])
  const selection: Selection = {
    most: options.everything ? Number.POSITIVE_INFINITY : mostPoints,
    includes: ({ sessions }) =>
      options.session === undefined ||
      sessions.some((session) => session.startsWith(options.session as string)),
  }
  const { points, unreadable, unfetched } = await readCommitted({ repo, objects, roots }, commits, selection)
  const all = newestFirst([...points, ...steps.map(stepPoint).filter(selection.includes)])
  return {
    branch: branches.current,
    ...given({ session: options.session }),
    points: await withStepPrompts(objects, all.slice(0, selection.most), (id) => findSessionState(repo, id)),
    unreadable,
    unfetched,
  }
}

interface Selection {
  most: number
  includes(point: BranchPoint): boolean
}

// Commits come newest first: older ones are read only until there are enough points.
async function readCommitted(
  { repo, objects, roots }: { repo: Repo; objects: ObjectReader; roots: BranchRoots },
  commits: LogEntry[],
  { most, includes }: Selection,
): Promise<Pick<BranchView, 'points' | 'unreadable' | 'unfetched'>> {
  const points: BranchPoint[] = []
  const unreadable = new Set<string>()
  const unfetched: BranchView['unfetched'] = new Map()
  const size = Math.min(most, commits.length)
  for (let at = 0; at < commits.length && points.length < most; at += size) {
    const linked = await linkCheckpoints(objects, commits.slice(at, at + size))
    const links = linked.flatMap(({ commit, checkpoints }) => checkpoints.map((id) => ({ commit, id })))
    const read = await readCheckpointHeads(
      repo,
      objects,
      roots,
      links.map(({ id }) => id),
    )
    for (const [id, why] of read.unfetched) unfetched.set(id, why)
    for (const { commit, id } of links) {
      if (unfetched.has(id)) continue
      const head = read.heads.get(id)
      const point = head && checkpointPoint(id, head, commit)
      if (point === undefined) unreadable.add(id)
      else if (includes(point)) points.push(point)
    }
  }
  const [why] = unfetched.values()
  if (points.length === 0 && why !== undefined) throw why
  return { points, unreadable: [...unreadable], unfetched }
}

// On a feature branch only its own commits; on the default branch, or with a detached HEAD, the whole
// history.
async function readBranchCommits(
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
  if (shadows.length === 0) return []
  const steps = await readLog(repo, [`-${mostPoints}`, ...shadows.map(({ oid }) => oid)])
  // The state before a turn is nobody's work.
  return steps.filter(({ message }) => turnAfter(message) === undefined)
}

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

function checkpointPoint(id: string, head: CheckpointHead, commit: LogEntry): BranchPoint {
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

/** Without the prompt: that is read only for points that are shown. */
function stepPoint(commit: LogEntry): BranchPoint {
  const session = readTrailer(commit.message, 'Entire-Session')[0]
  return {
    group: session ?? 'temporary',
    isStep: true,
    isTask: isTask(commit.message),
    sessions: session === undefined ? [] : [session],
    prompt: undefined,
    agent: undefined,
    commit,
  }
}

/** Reads one prompt per session, from its newest step. A carried-forward step has none: the session has. */
async function withStepPrompts(
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

function newestFirst(points: BranchPoint[]): BranchPoint[] {
  const times = new Map(points.map(({ commit }) => [commit, Date.parse(commit.committedAt)]))
  const time = ({ commit }: BranchPoint) => times.get(commit) as number
  return points.toSorted((a, b) => time(b) - time(a))
}
