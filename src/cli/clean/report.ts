// Lists what clean and reset remove, for people and as JSON, and finds the session that --session names.

import { relative } from 'node:path'
import { branchName } from '../../checkpoints/layout.ts'
import { countPlan, type DiscardPlan, emptyPlan, type ItemInUse, planSessions } from '../../cleanup/clean.ts'
import { fetchedRefs, type Inventory } from '../../cleanup/inventory.ts'
import type { Repo } from '../../git/repo.ts'
import type { Session } from '../../model/session.ts'
import { keptRefDays } from '../../sessions/kept-refs.ts'
import type { JsonObject } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'
import { findSessionId, sessionNotFound, sessionUnreadable } from '../session/find-session.ts'

/** Leaves out sections without items. */
export function sectionLines(repo: Repo, plan: DiscardPlan): string[] {
  const names = plan.branches.map(({ ref }) => branchName(ref))
  const [fetched = [], shadows = []] = [true, false].map((isFetched) =>
    names.filter((name) => name.startsWith(fetchedRefs) === isFetched),
  )
  return [
    ...section(`Shadow branches (${shadows.length})`, shadows),
    ...section(`Temporary refs (${fetched.length})`, fetched),
    ...section(`Session states (${plan.sessions.length})`, plan.sessions.map(stateName)),
    ...section(
      `Temporary files (${plan.temporary.length})`,
      plan.temporary.map((path) => relative(repo.root, path)),
    ),
  ]
}

/** The same for one commit, which has one branch. */
export function headLines(plan: DiscardPlan): string[] {
  return [
    ...section(`Session states (${plan.sessions.length})`, plan.sessions.map(stateName)),
    ...section(
      'Shadow branch',
      plan.branches.map(({ ref }) => branchName(ref)),
    ),
  ]
}

function section(title: string, items: string[]): string[] {
  return items.length === 0 ? [] : [`${title}:`, ...items.map((item) => `  ${clean(item)}`), '']
}

function stateName({ id, stepCount }: Session): string {
  return `${id} (steps: ${stepCount})`
}

export function keptLines(kept: ItemInUse[]): string[] {
  if (kept.length === 0) return []
  return [
    `Still in use (${kept.length}):`,
    ...kept.map(({ name, why }) => `  ${clean(name)}: ${clean(why)}`),
    '',
  ]
}

export function doneLines(repo: Repo, plan: DiscardPlan): string[] {
  return [
    ...plan.sessions.map(({ id }) => `Cleared session state for ${clean(id)}`),
    ...plan.branches.map(({ ref }) => `Deleted shadow branch ${branchName(ref)}`),
    ...plan.temporary.map((path) => `Removed ${clean(relative(repo.root, path))}`),
  ]
}

export function noteRecovery(cli: Cli, plan: DiscardPlan): void {
  if (countPlan(plan) > 0)
    cli.note(`Removed items are kept for ${keptRefDays} days. Run \`entire clean --undo\` to restore them.`)
}

export function planJson(repo: Repo, plan: DiscardPlan): JsonObject {
  return {
    sessions: plan.sessions.map(({ id, phase, stepCount }) => ({
      session_id: id,
      phase,
      checkpoints: stepCount,
    })),
    shadow_branches: plan.branches.map(({ ref, oid }) => ({ branch: branchName(ref), commit: oid })),
    temporary_files: plan.temporary.map((path) => relative(repo.root, path)),
  }
}

export function requireSession(repo: Repo, { sessions }: Inventory, prefix: string): Session {
  const id = findSessionId(repo, prefix)
  const session = sessions.find((candidate) => candidate.id === id)
  if (session !== undefined) return session
  throw id === undefined ? sessionNotFound(prefix) : sessionUnreadable(id)
}

/** Plans to remove one session, in use or not. */
export function planNamed(inventory: Inventory, id: string): DiscardPlan {
  const session = inventory.sessions.find((candidate) => candidate.id === id)
  return session === undefined ? emptyPlan() : planSessions(inventory, [session])
}

export function describeNamed(session: Session): string {
  return `Phase: ${session.phase}, Steps: ${session.stepCount}`
}
