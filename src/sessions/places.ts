// Names what a work tree has of its own in its git directory: the log and temporary files. They used to be
// below `.entire`, where a clone may contain links; what other versions left there is still read.

import { join } from 'node:path'
import type { Repo } from '../git/repo.ts'
import { findLink } from '../std/inside.ts'

export function logFile(repo: Repo): string {
  return join(repo.gitDir, 'entire-logs', 'entire.log')
}

export function temporaryDir(repo: Repo): string {
  return join(repo.gitDir, 'entire-tmp')
}

/** What installed hooks replaced, and which plugins installed theirs. Each work tree has its own. */
export function originalsDir(repo: Repo): string {
  return join(repo.gitDir, 'entire-originals')
}

/** The log, and that of versions that kept it in the work tree. */
export function logFiles(repo: Repo): string[] {
  return [logFile(repo), ...insideWorktree(repo, '.entire/logs/entire.log')]
}

/** Where temporary files are, and where other versions put them. */
export function temporaryDirs(repo: Repo): string[] {
  return [temporaryDir(repo), ...insideWorktree(repo, '.entire/tmp')]
}

/** None when a part of the path is a link. */
export function insideWorktree(repo: Repo, path: string): string[] {
  return findLink(repo.root, path) === undefined ? [join(repo.root, path)] : []
}
