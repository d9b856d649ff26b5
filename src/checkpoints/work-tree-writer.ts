// Puts files of a commit into the work tree, and takes files away. The index is not touched, and files that are not named keep their times.
import { lstatSync, rmdirSync, unlinkSync } from 'node:fs'
import { git } from '../git/exec.ts'
import type { Oid } from '../git/oid.ts'
import type { Repo } from '../git/repo.ts'
import { isErrno } from '../std/errors.ts'
import { encodePath, nativePathIn } from '../std/path-bytes.ts'

export async function putFiles(repo: Repo, commit: Oid, plan: { restore: string[]; remove: string[] }): Promise<void> {
  for (const path of plan.remove) removePath(repo, path)
  if (plan.restore.length === 0) return
  const stdin = Buffer.concat(plan.restore.flatMap((path) => [encodePath(path), Buffer.of(0)]))
  // Only git knows line endings, filters and links; --worktree alone leaves the index as it is. https://git-scm.com/docs/git-restore
  await git(repo, ['restore', `--source=${commit}`, '--worktree', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    stdin,
    env: { GIT_LITERAL_PATHSPECS: '1' },
  })
}

function removePath(repo: Repo, path: string): void {
  const target = nativePathIn(repo.root, path)
  try {
    if (lstatSync(target).isDirectory()) return
    unlinkSync(target)
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR')) throw error
  }
  removeEmptyParents(repo, path)
}

// Git has no empty directories; one left behind would stand in the way of a file of that name.
function removeEmptyParents(repo: Repo, path: string): void {
  for (let dir = path.slice(0, Math.max(0, path.lastIndexOf('/'))); dir !== ''; dir = dir.slice(0, Math.max(0, dir.lastIndexOf('/')))) {
    try {
      rmdirSync(nativePathIn(repo.root, dir))
    } catch {
      return
    }
  }
}
