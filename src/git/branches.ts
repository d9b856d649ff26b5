// Which branch is checked out, and which one the others start from.
import { git } from './exec.ts'
import type { Repo } from './repo.ts'

export interface Branches {
  /** Undefined when HEAD is detached. */
  current: string | undefined
  /** Full name of the ref: where origin's HEAD points, else main or master. */
  default: string | undefined
}

export async function readBranches(repo: Repo): Promise<Branches> {
  const candidates = ['refs/heads/main', 'refs/heads/master', 'refs/remotes/origin/HEAD']
  const [head, refs] = await Promise.all([
    git(repo, ['symbolic-ref', '--quiet', '--short', 'HEAD'], { accept: [1] }),
    git(repo, ['for-each-ref', '--format=%(refname) %(symref)', ...candidates]),
  ])
  const lines = refs.stdout.toString('utf8').split('\n')
  const names = new Map(lines.map((line) => line.split(' ') as [string, string]))
  const current = head.stdout.toString('utf8').trim() || undefined
  const local = candidates.slice(0, 2).find((name) => names.has(name))
  return { current, default: names.get('refs/remotes/origin/HEAD') || local }
}
