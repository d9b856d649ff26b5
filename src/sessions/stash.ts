// Finds work of a session that is not on disk because it is stashed.

import { changedAt } from '../checkpoints/snapshot.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { TreeChange } from '../git/fast-import.ts'
import type { Oid } from '../git/oid.ts'
import type { Repo } from '../git/repo.ts'

/**
 * Blobs of the files that are missing on disk and in the newest stash, which keeps untracked files in a third
 * parent. https://git-scm.com/docs/git-stash
 */
export async function findStashed(
  repo: Repo,
  objects: ObjectReader,
  paths: string[],
): Promise<Map<string, Oid>> {
  const missing = paths.filter((path) => changedAt(repo, path) === undefined)
  if (missing.length === 0 || (await objects.info('refs/stash')) === undefined) return new Map()
  const found = await Promise.all(
    missing.map(async (path) => [path, await findInStash(objects, path)] as const),
  )
  return new Map(found.flatMap(([path, oid]) => (oid === undefined ? [] : [[path, oid] as const])))
}

// Stashing removes only new files from disk. A file that the stash's base commit has was deleted after
// stashing.
async function findInStash(objects: ObjectReader, path: string): Promise<Oid | undefined> {
  const [base, untracked, added] = await Promise.all(
    ['refs/stash^1', 'refs/stash^3', 'refs/stash'].map((rev) => objects.info(`${rev}:${path}`)),
  )
  return base === undefined ? (untracked ?? added)?.oid : undefined
}

export function stashedChanges(stashed: Map<string, Oid>): TreeChange[] {
  return [...stashed].map(([path, oid]) => ({ path, mode: '100644', oid }))
}
