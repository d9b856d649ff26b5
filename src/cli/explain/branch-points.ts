// What happened on a branch: its commits with checkpoints, and the steps that no commit has taken in yet. Of all that only the newest
// points are read, those that are shown.
import { type BranchRoots, openRoots, readHeads } from '../../checkpoints/heads.ts'
import { isShadowRef, oldShadowRef, shadowRef } from '../../checkpoints/layout.ts'
import { linkCheckpoints } from '../../checkpoints/links.ts'
import { type Branches, readBranches } from '../../git/branches.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import { type LogEntry, readLog } from '../../git/log.ts'
import type { RefTip } from '../../git/refs.ts'
import type { Repo } from '../../git/repo.ts'
import { findSession } from '../../session/store.ts'
import { type BranchPoint, checkpointPoint, newestFirst, stepPoint, withStepPrompts } from './points.ts'

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

export async function readBranchPoints(repo: Repo, objects: ObjectReader, options: ListOptions = {}): Promise<BranchView> {
  const roots = openRoots(objects)
  const limit = options.everything ? [] : [`-${commitsWalked}`]
  const [branches, history] = await Promise.all([readBranches(repo, 'refs/heads/entire/'), readLog(repo, [...limit, 'HEAD'])])
  const [own, steps] = await Promise.all([readOwn(repo, branches, history, limit), readSteps(repo, branches.refs, history)])
  const selection: Selection = {
    most: options.everything ? Number.POSITIVE_INFINITY : pointsKept,
    includes: ({ sessions }) => options.session === undefined || sessions.some((session) => session.startsWith(options.session as string)),
  }
  const { points, unreadable } = await readCommitted({ repo, objects, roots }, own, selection)
  const all = newestFirst([...points, ...steps.map(stepPoint).filter(selection.includes)])
  return {
    branch: branches.current,
    ...(options.session === undefined ? {} : { session: options.session }),
    points: await withStepPrompts(objects, all.slice(0, selection.most), (id) => findSession(repo, id)),
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
    const heads = await readHeads(
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
async function readOwn(repo: Repo, branches: Branches, history: LogEntry[], limit: string[]): Promise<LogEntry[]> {
  const name = branches.default?.replace(/^refs\/(?:heads|remotes\/origin)\//, '')
  if (branches.default === undefined || branches.current === undefined || branches.current === name) return history
  return await readLog(repo, [...limit, 'HEAD', '--first-parent', '--not', branches.default])
}

async function readSteps(repo: Repo, refs: RefTip[], history: LogEntry[]): Promise<LogEntry[]> {
  if (!refs.some(({ ref }) => isShadowRef(ref))) return []
  const here = new Set(
    history.flatMap(({ oid }) => [shadowRef(oid, repo.worktreeId), ...(repo.worktreeId === '' ? [oldShadowRef(oid)] : [])]),
  )
  const shadows = refs.filter(({ ref }) => here.has(ref))
  return shadows.length === 0 ? [] : await readLog(repo, [`-${pointsKept}`, ...shadows.map(({ oid }) => oid)])
}
