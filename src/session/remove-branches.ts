// Shadow branches that nobody needs any more.
import { branchOf, shadowRef } from '../checkpoints/layout.ts'
import type { RefMove } from '../git/refs.ts'
import type { LiveIndex } from './live.ts'
import type { GitSide, Recorder } from './work.ts'

/** A branch of these bases goes when no session has steps on it; one that gets a step meanwhile stays. */
export async function findRemovals(
  { repo }: Recorder,
  { objects }: Pick<GitSide, 'objects'>,
  live: LiveIndex,
  bases: Set<string>,
  head: string,
): Promise<RefMove[]> {
  // A session without files has no steps: it may run on this base, but nothing of it is on the branch.
  const inUse = [...live.sessions.values()].filter((entry) => entry.files.length > 0).map((entry) => entry.base)
  const used = new Set([head, ...inUse].map((base) => shadowRef(base, repo.worktreeId)))
  const names = [...bases].map((base) => shadowRef(base, repo.worktreeId)).filter((ref) => !used.has(ref))
  const tips = await Promise.all(names.map((ref) => objects.info(ref)))
  return names.flatMap((ref, index) => (tips[index] === undefined ? [] : { ref, to: undefined, from: tips[index].oid }))
}

export function sayRemoved(recorder: Recorder, removals: RefMove[]): void {
  for (const { ref } of removals) recorder.say(`[entire] Cleaned up shadow branch: ${branchOf(ref)}`)
}
