// Plans which files a rewind writes and deletes: those that differ from the step, but none of the user's own.

import { isInfrastructure } from '../checkpoints/layout.ts'
import type { Status } from '../git/status.ts'
import type { FileEntry } from '../git/tree.ts'
import type { TreeDifference } from '../git/tree-diff.ts'
import { type Disk, filesBelow, isCopyable, isFileLike } from './disk.ts'

/** Why a path stays as it is although the step has something else there, or nothing. */
export type SkipReason =
  | 'changed-only-by-you'
  | 'not-made-by-a-session'
  | 'not-in-the-step'
  | 'of-an-agent'
  | 'something-in-the-way'
  | 'no-copy-possible'

export interface SkippedPath {
  path: string
  reason: SkipReason
}

export interface RewindPlan {
  /** To be written as the step has them. */
  restore: string[]
  /** To be deleted: the agent had deleted them at the step, or created them after it. */
  remove: string[]
  skip: SkippedPath[]
}

export interface RewindFacts {
  status: Status
  /** How the step's tree differs from HEAD's. */
  differences: TreeDifference[]
  /** What the step holds at the paths in question. */
  entries: ReadonlyMap<string, FileEntry>
  /** Files that the step, or the last one, could not hold: they do not say what the files were. */
  leftOut: ReadonlySet<string>
  /** Paths that are on disk as the step has them. */
  unchanged: ReadonlySet<string>
  disk: Disk
  /** What HEAD holds at the paths in question. */
  committed: ReadonlyMap<string, FileEntry>
  /** True when a session changed the file. */
  isTouched(path: string): boolean
  /** True when a session created the file. */
  isMadeBySession(path: string): boolean
  /** True in the directories of git and of agents. */
  isProtected(path: string): boolean
}

export function planRewind(facts: RewindFacts): RewindPlan {
  // The agent had deleted what HEAD has and the step lacks.
  const deleted = new Set(
    facts.differences.filter(({ entry }) => entry === undefined).map(({ path }) => path),
  )
  const plan: RewindPlan = { restore: [], remove: [], skip: [] }
  for (const path of pathsInQuestion(facts.status, facts.differences)) {
    const isThere = isFileLike(facts.disk.at(path))
    if (isThere && facts.leftOut.has(path)) {
      plan.skip.push({ path, reason: 'not-in-the-step' })
      continue
    }
    if (facts.entries.has(path)) {
      // Steps also hold files that were never committed and that no session changed.
      const isUserFile = isThere && !facts.committed.has(path) && !facts.isTouched(path)
      if (!facts.unchanged.has(path) && isUserFile) plan.skip.push({ path, reason: 'not-made-by-a-session' })
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

/**
 * Skips paths that cannot be copied first, and those whose place is taken by something that the plan does not
 * delete.
 */
export function withoutLosses(disk: Disk, plan: RewindPlan): RewindPlan {
  const canReplace = (path: string) => {
    const found = disk.at(path)
    return (found.kind !== 'file' && found.kind !== 'other') || isCopyable(disk.root, path, found)
  }
  const remove = plan.remove.filter(canReplace)
  const removed = new Set(remove)
  const restore = plan.restore.filter((path) => canReplace(path) && isFree(disk, path, removed))
  const skipped = [
    ...plan.remove.filter((path) => !removed.has(path)),
    ...plan.restore.filter((path) => !restore.includes(path)),
  ].map(
    (path): SkippedPath => ({
      path,
      reason: canReplace(path) ? 'something-in-the-way' : 'no-copy-possible',
    }),
  )
  return { restore, remove, skip: [...plan.skip, ...skipped].sort((a, b) => (a.path < b.path ? -1 : 1)) }
}

function isFree(disk: Disk, path: string, removed: ReadonlySet<string>): boolean {
  const found = disk.at(path)
  if (found.kind === 'below-file') return removed.has(found.parent)
  if (found.kind !== 'directory') return found.kind !== 'in-other-repo'
  if (disk.at(`${path}/.git`).kind !== 'absent') return false
  return filesBelow(disk.root, path).every((file) => removed.has(file))
}

export function isEmptyPlan(plan: Pick<RewindPlan, 'restore' | 'remove'>): boolean {
  return plan.restore.length === 0 && plan.remove.length === 0
}
