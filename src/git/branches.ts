// Reads which branches a repository has and which are checked out, and switches between them.

import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { readText } from '../std/file.ts'
import { git } from './exec.ts'
import type { RefTip } from './refs.ts'
import type { Repo } from './repo.ts'

export interface Branches {
  /** Undefined when HEAD is detached. */
  current: string | undefined
  /** Full ref name: where origin's HEAD points, else main or master. */
  default: string | undefined
  /** The refs below the given patterns. */
  refs: RefTip[]
}

export async function readBranches(repo: Repo, ...patterns: string[]): Promise<Branches> {
  const candidates = ['refs/heads/main', 'refs/heads/master', 'refs/remotes/origin/HEAD']
  const format = '--format=%(objectname) %(refname) %(symref)'
  const [current, { stdout }] = await Promise.all([
    readCurrentBranch(repo),
    git(repo, ['for-each-ref', format, ...candidates, ...patterns]),
  ])
  const lines = stdout.toString('utf8').split('\n')
  const refs = lines.slice(0, -1).map((line) => line.split(' ') as [string, string, string])
  const names = new Map(refs.map(([, ref, target]) => [ref, target]))
  const local = candidates.slice(0, 2).find((name) => names.has(name))
  return {
    current,
    default: names.get('refs/remotes/origin/HEAD') || local,
    refs: refs.filter(([, ref]) => !candidates.includes(ref)).map(([oid, ref]) => ({ oid, ref })),
  }
}

// Read from the HEAD file, without a process. With another ref storage that file names an impossible branch,
// or is not a plain file; then git is asked.
export async function readCurrentBranch(repo: Repo): Promise<string | undefined> {
  const path = join(repo.gitDir, 'HEAD')
  const text = lstatSync(path).isSymbolicLink() ? '' : (readText(path) ?? '')
  const branch = /^ref: refs\/heads\/(.+)/.exec(text)?.[1]?.trimEnd()
  if (branch !== undefined && branch !== '.invalid') return branch
  if (/^[0-9a-f]{40,64}\s*$/.test(text)) return undefined
  const { stdout } = await git(repo, ['symbolic-ref', '--quiet', '--short', 'HEAD'], { accept: [1] })
  return stdout.toString('utf8').trim() || undefined
}

/**
 * Checks out a branch. Returns git's reason when it refuses, as it does when work would be lost. The user's
 * hooks run as always.
 */
export async function switchBranch(repo: Repo, branch: string): Promise<string | undefined> {
  return trySwitch(repo, branch, ['--no-guess', branch])
}

/** The same with a new local branch that tracks origin's. */
export async function switchToRemoteBranch(repo: Repo, branch: string): Promise<string | undefined> {
  return trySwitch(repo, branch, ['--create', branch, '--track', `origin/${branch}`])
}

async function trySwitch(repo: Repo, branch: string, args: string[]): Promise<string | undefined> {
  // Git creates no such branch, but a ref can have such a name; git would read it as an option. The words are
  // git's own, like those of its other refusals.
  if (branch.startsWith('-')) return `'${branch}' is not a valid branch name`
  const result = await git(repo, ['switch', '--quiet', ...args], { accept: [1, 128] })
  return result.code === 0 ? undefined : result.stderr.trim() || `git switch gave exit code ${result.code}`
}

/** The branch of each work tree by its path; undefined where HEAD is detached. */
export async function readWorktrees(repo: Repo): Promise<Map<string, string | undefined>> {
  const { stdout } = await git(repo, ['worktree', 'list', '--porcelain', '-z'])
  const worktrees = new Map<string, string | undefined>()
  let path = ''
  for (const line of stdout.toString('utf8').split('\0')) {
    if (line.startsWith('worktree ')) {
      path = line.slice('worktree '.length)
      worktrees.set(path, undefined)
    }
    if (line.startsWith('branch '))
      worktrees.set(path, line.slice('branch '.length).replace(/^refs\/heads\//, ''))
  }
  return worktrees
}
