// What a rewind would do, decided before anything is done: only paths that differ from the step, and nothing that is the user's alone.

import { isInfrastructure } from '../checkpoints/layout.ts'
import type { Status } from '../git/status.ts'
import type { TreeDifference } from '../git/tree.ts'
import { type Disk, type FileEntry, filesBelow, isCopyable } from './disk.ts'

/** Why a path stays as it is although the step has something else there, or nothing. */
export type SkipReason = 'not-made-by-a-session' | 'of-an-agent' | 'something-in-the-way' | 'no-copy-possible'

export interface SkippedPath {
  path: string
  reason: SkipReason
}

export interface RewindPlan {
  /** Written as the step has them. */
  restore: string[]
  /** Deleted: the agent had deleted them, or created them later. */
  remove: string[]
  skip: SkippedPath[]
}

export interface RewindFacts {
  status: Status
  /** How the step's tree differs from HEAD's. */
  differences: TreeDifference[]
  /** What the step holds at the paths in question. */
  entries: ReadonlyMap<string, FileEntry>
  /** Paths that are on disk as the step has them. */
  unchanged: ReadonlySet<string>
  disk: Disk
  /** What HEAD holds there. */
  committed: ReadonlyMap<string, FileEntry>
  /** True when a session changed the file. */
  isTouched(path: string): boolean
  /** True when a session created the file, which was not there before it. */
  isMadeBySession(path: string): boolean
  isProtected(path: string): boolean
}

/** Paths that a rewind may have to look at. */
export function pathsInQuestion(status: Status, differences: TreeDifference[]): string[] {
  const all = [
    ...differences.map(({ path }) => path),
    ...status.modified,
    ...status.deleted,
    ...status.untracked,
  ]
  return [...new Set(all)].filter((path) => !isInfrastructure(path)).sort()
}

export function planRewind(facts: RewindFacts): RewindPlan {
  // What the step lacks and HEAD has, the agent had deleted.
  const deleted = new Set(
    facts.differences.filter(({ entry }) => entry === undefined).map(({ path }) => path),
  )
  const plan: RewindPlan = { restore: [], remove: [], skip: [] }
  for (const path of pathsInQuestion(facts.status, facts.differences)) {
    const isThere = ['file', 'link', 'other'].includes(facts.disk.at(path).kind)
    if (facts.entries.has(path)) {
      // A file that was never committed and that no session changed: steps hold it, but it is the user's alone.
      const isUsers = isThere && !facts.committed.has(path) && !facts.isTouched(path)
      if (!facts.unchanged.has(path) && isUsers) plan.skip.push({ path, reason: 'not-made-by-a-session' })
      else if (!facts.unchanged.has(path)) plan.restore.push(path)
      continue
    }
    if (!isThere) continue
    if (!deleted.has(path) && !facts.isMadeBySession(path))
      plan.skip.push({ path, reason: 'not-made-by-a-session' })
    else if (facts.isProtected(path)) plan.skip.push({ path, reason: 'of-an-agent' })
    else plan.remove.push(path)
  }
  return withoutLosses(facts.disk, plan)
}

/** Nothing is replaced of which no copy can be kept, and nothing that the plan does not name makes room for what it names. */
export function withoutLosses(disk: Disk, plan: RewindPlan): RewindPlan {
  const canKeep = (path: string) => {
    const place = disk.at(path)
    return (place.kind !== 'file' && place.kind !== 'other') || isCopyable(disk.root, path, place)
  }
  const remove = plan.remove.filter(canKeep)
  const going = new Set(remove)
  const restore = plan.restore.filter((path) => canKeep(path) && isFree(disk, path, going))
  const stay = (path: string): SkippedPath => ({
    path,
    reason: canKeep(path) ? 'something-in-the-way' : 'no-copy-possible',
  })
  const staying = [
    ...plan.remove.filter((path) => !going.has(path)),
    ...plan.restore.filter((path) => !restore.includes(path)),
  ].map(stay)
  return { restore, remove, skip: [...plan.skip, ...staying].sort((a, b) => (a.path < b.path ? -1 : 1)) }
}

function isFree(disk: Disk, path: string, going: ReadonlySet<string>): boolean {
  const place = disk.at(path)
  if (place.kind === 'behind') return going.has(place.parent)
  if (place.kind !== 'directory') return place.kind !== 'foreign'
  if (disk.at(`${path}/.git`).kind !== 'absent') return false
  return filesBelow(disk.root, path).every((file) => going.has(file))
}

export function isEmptyPlan(plan: Pick<RewindPlan, 'restore' | 'remove'>): boolean {
  return plan.restore.length === 0 && plan.remove.length === 0
}
