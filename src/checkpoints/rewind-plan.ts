// What a rewind would do, decided before anything is done: only paths that differ from the step, and nothing that is the user's alone.

import type { Status } from '../git/status.ts'
import type { TreeDifference } from '../git/tree-diff.ts'
import { isInfrastructure } from './layout.ts'

export interface RewindPlan {
  /** Written as the step has them. */
  restore: string[]
  /** Deleted: the agent had deleted them, or created them later. */
  remove: string[]
  /** Untracked files that are not in the step and stay, because no session made them. */
  keep: string[]
}

export interface RewindFacts {
  status: Status
  /** How the step's tree differs from HEAD's. */
  step: TreeDifference[]
  /** Files sessions of this work tree touched. */
  touched: ReadonlySet<string>
  /** Untracked files that were there before the sessions. */
  existedBefore: ReadonlySet<string>
  isProtected(path: string): boolean
  /** True when the file on disk is what the step holds. */
  isAsInStep(path: string): boolean
  isOnDisk(path: string): boolean
}

export function planRewind(facts: RewindFacts): RewindPlan {
  const entries = new Map(facts.step.map((difference) => [difference.path, difference.entry]))
  const untracked = new Set(facts.status.untracked)
  const plan: RewindPlan = { restore: [], remove: [], keep: [] }
  const paths = new Set([...entries.keys(), ...facts.status.modified, ...facts.status.deleted, ...untracked])
  for (const path of [...paths].sort()) {
    if (isInfrastructure(path)) continue
    // Not among the differences: the step has what HEAD has.
    const isInStep = entries.has(path) ? entries.get(path) !== undefined : !untracked.has(path)
    if (isInStep && !facts.isAsInStep(path)) plan.restore.push(path)
    if (isInStep || !facts.isOnDisk(path)) continue
    const mayGo = !facts.isProtected(path) && (!untracked.has(path) || (facts.touched.has(path) && !facts.existedBefore.has(path)))
    if (mayGo) plan.remove.push(path)
    else plan.keep.push(path)
  }
  return plan
}

export function isEmptyPlan(plan: RewindPlan): boolean {
  return plan.restore.length === 0 && plan.remove.length === 0
}
