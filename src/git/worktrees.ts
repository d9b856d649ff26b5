// The work trees of a repository and the branches they are on: one `git worktree list`.
import { git } from './exec.ts'
import type { Repo } from './repo.ts'

/** Branch by path; undefined when HEAD is detached there. */
export async function readWorktrees(repo: Repo): Promise<Map<string, string | undefined>> {
  const { stdout } = await git(repo, ['worktree', 'list', '--porcelain', '-z'])
  const worktrees = new Map<string, string | undefined>()
  let path = ''
  for (const line of stdout.toString('utf8').split('\0')) {
    if (line.startsWith('worktree ')) {
      path = line.slice('worktree '.length)
      worktrees.set(path, undefined)
    }
    if (line.startsWith('branch ')) worktrees.set(path, line.slice('branch '.length).replace(/^refs\/heads\//, ''))
  }
  return worktrees
}
