// Which files of a session wait for a commit: those that differ from HEAD, or were put aside with `git stash`.
import { readObjects } from '../git/cat-file.ts'
import type { Repo } from '../git/repo.ts'
import { readStatus } from '../git/status.ts'
import { exists } from '../std/file.ts'
import { findStashed } from './stashed.ts'

export async function findUncommitted(repo: Repo, files: string[]): Promise<string[]> {
  if (files.length === 0 || !exists(repo.root)) return []
  await using objects = readObjects(repo)
  const [status, stashed] = await Promise.all([readStatus(repo, files), findStashed(repo, objects, files)])
  const differing = new Set([...status.modified, ...status.deleted, ...status.untracked, ...stashed.keys()])
  return files.filter((path) => differing.has(path))
}
