// Finds the work trees of a repository in its files. Sessions and branches of all of them are in one place,
// their locks are not.

import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { findRepo, type Repo } from '../git/repo.ts'
import { exists, readText } from '../std/file.ts'
import { type Lock, takeLock } from '../std/lock.ts'
import { lockFile } from './save.ts'

const lockWaitMs = 10_000

/** This work tree comes first. Those whose directory is gone are left out. */
export function listWorktrees(repo: Repo): Repo[] {
  const others = [findMain(repo), ...linkedNames(repo).map((name) => findLinked(repo, name))]
  return [
    repo,
    ...others.flatMap((other) => (other === undefined || other.gitDir === repo.gitDir ? [] : [other])),
  ]
}

/** The work tree of a session; when that is gone, this one, which has the same git data. */
export function worktreeOf(repo: Repo, session: { worktreeId: string }): Repo {
  if (session.worktreeId === repo.worktreeId) return repo
  return (session.worktreeId === '' ? findMain(repo) : findLinked(repo, session.worktreeId)) ?? repo
}

/**
 * Locks out the hooks of all work trees. The order is fixed, so that two processes never wait for each other.
 */
export async function lockWorktrees(repos: Repo[]): Promise<Lock> {
  const locks: Lock[] = []
  const release = () => {
    for (const lock of locks) lock[Symbol.dispose]()
  }
  try {
    for (const path of [...new Set(repos.map(lockFile))].sort())
      locks.push(await takeLock(path, { waitMs: lockWaitMs }))
  } catch (error) {
    release()
    throw error
  }
  return { [Symbol.dispose]: release }
}

function findMain(repo: Repo): Repo | undefined {
  if (repo.worktreeId === '') return repo
  const found = basename(repo.commonDir) === '.git' ? findRepo(dirname(repo.commonDir), repo.env) : undefined
  return found?.gitDir === repo.commonDir ? found : undefined
}

function findLinked(repo: Repo, name: string): Repo | undefined {
  const gitDir = join(repo.commonDir, 'worktrees', name)
  // The file leads from the git directory to the `.git` file of the work tree.
  // https://git-scm.com/docs/gitrepository-layout
  const root = dirname(readText(join(gitDir, 'gitdir'))?.trim() ?? '')
  return root !== '.' && exists(root)
    ? { ...repo, root, gitDir, worktreeId: name, explicit: false }
    : undefined
}

function linkedNames(repo: Repo): string[] {
  try {
    return readdirSync(join(repo.commonDir, 'worktrees'))
  } catch {
    return []
  }
}
