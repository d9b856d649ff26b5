// Finds work of a session that is not on disk because it is stashed.

import { changedAt, placeFinder } from '../checkpoints/snapshot.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { FileMode, TreeChange } from '../git/fast-import.ts'
import type { Repo } from '../git/repo.ts'
import { type FileEntry, readTreeEntries, submoduleMode } from '../git/tree.ts'

/**
 * The files that are missing on disk and in the newest stash, which keeps untracked files in a third parent.
 * https://git-scm.com/docs/git-stash
 */
export async function findStashed(
  repo: Repo,
  objects: ObjectReader,
  paths: string[],
): Promise<Map<string, FileEntry>> {
  const missing = paths.filter((path) => changedAt(repo, path) === undefined)
  if (missing.length === 0 || (await objects.info('refs/stash')) === undefined) return new Map()
  const [base, untracked, added] = (await Promise.all(
    ['refs/stash^1', 'refs/stash^3', 'refs/stash'].map((rev) => readTreeEntries(objects, rev, missing)),
  )) as [Map<string, FileEntry>, Map<string, FileEntry>, Map<string, FileEntry>]
  // Stashing removes only new files from disk. A file that the stash's base commit has was deleted after
  // stashing.
  const found = missing
    .filter((path) => !base.has(path))
    .map((path) => [path, untracked.get(path) ?? added.get(path)])
  return new Map(
    found.filter((pair): pair is [string, FileEntry] => isFile(pair[1] as FileEntry | undefined)),
  )
}

function isFile(entry: FileEntry | undefined): boolean {
  return entry !== undefined && entry.mode !== submoduleMode
}

/** What a step holds of the stash: nothing that would take the place of a file in the work tree. */
export function stashedChanges(repo: Repo, stashed: Map<string, FileEntry>): TreeChange[] {
  const isFree = placeFinder(repo)
  return [...stashed]
    .filter(([path]) => isFree(path))
    .map(([path, { mode, oid }]) => ({ path, mode: mode as FileMode, oid }))
}
