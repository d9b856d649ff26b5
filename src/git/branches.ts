// Which branch is checked out, and which one the others start from.

import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { readText } from '../std/file.ts'
import { git } from './exec.ts'
import type { RefTip } from './refs.ts'
import type { Repo } from './repo.ts'

export interface Branches {
  /** Undefined when HEAD is detached. */
  current: string | undefined
  /** Full name of the ref: where origin's HEAD points, else main or master. */
  default: string | undefined
  /** Refs below the patterns that were asked for, too. */
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

// The file says it without a process, except where refs are kept in another way: then it names a branch that cannot be, or is no file.
export async function readCurrentBranch(repo: Repo): Promise<string | undefined> {
  const path = join(repo.gitDir, 'HEAD')
  const text = lstatSync(path).isSymbolicLink() ? '' : (readText(path) ?? '')
  const branch = /^ref: refs\/heads\/(.+?)\s*$/.exec(text)?.[1]
  if (branch !== undefined && branch !== '.invalid') return branch
  if (/^[0-9a-f]{40,64}\s*$/.test(text)) return undefined
  const { stdout } = await git(repo, ['symbolic-ref', '--quiet', '--short', 'HEAD'], { accept: [1] })
  return stdout.toString('utf8').trim() || undefined
}

// Changing the branch of a work tree. Git refuses whatever would lose work; its words are the answer.

/** Gives what was in the way, or undefined when the branch is checked out. The user's hooks run as always. */
export async function switchBranch(repo: Repo, branch: string): Promise<string | undefined> {
  return trySwitch(repo, branch, ['--no-guess', branch])
}

/** Makes a local branch that follows origin's. */
export async function switchToRemoteBranch(repo: Repo, branch: string): Promise<string | undefined> {
  return trySwitch(repo, branch, ['--create', branch, '--track', `origin/${branch}`])
}

async function trySwitch(repo: Repo, branch: string, args: string[]): Promise<string | undefined> {
  // Git makes no such branch, but a ref can have such a name; here it would be an option.
  if (branch.startsWith('-')) return `'${branch}' is not a valid branch name`
  const result = await git(repo, ['switch', '--quiet', ...args], { accept: [1, 128] })
  return result.code === 0 ? undefined : result.stderr.trim() || `git switch gave exit code ${result.code}`
}

// The work trees of a repository and the branches they are on: one `git worktree list`.

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
    if (line.startsWith('branch '))
      worktrees.set(path, line.slice('branch '.length).replace(/^refs\/heads\//, ''))
  }
  return worktrees
}
