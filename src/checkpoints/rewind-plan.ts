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
  isInStep(path: string): boolean
  /** True when the file on disk is what the step holds. */
  isAsInStep(path: string): boolean
  isOnDisk(path: string): boolean
}

export function planRewind(facts: RewindFacts): RewindPlan {
  // What the step lacks and HEAD has, the agent had deleted.
  const deleted = new Set(facts.step.filter(({ entry }) => entry === undefined).map(({ path }) => path))
  const plan: RewindPlan = { restore: [], remove: [], keep: [] }
  const { modified, deleted: gone, untracked } = facts.status
  const paths = new Set([...facts.step.map(({ path }) => path), ...modified, ...gone, ...untracked])
  for (const path of [...paths].filter((candidate) => !isInfrastructure(candidate)).sort()) {
    if (facts.isInStep(path)) {
      if (!facts.isAsInStep(path)) plan.restore.push(path)
    } else if (facts.isOnDisk(path)) {
      const isSessions = deleted.has(path) || (facts.touched.has(path) && !facts.existedBefore.has(path))
      plan[isSessions && !facts.isProtected(path) ? 'remove' : 'keep'].push(path)
    }
  }
  return plan
}

export function isEmptyPlan(plan: RewindPlan): boolean {
  return plan.restore.length === 0 && plan.remove.length === 0
}
