// Finds a repository by looking at the file system, as git does: a process for that would double the cost of
// a hook.

import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Environment } from '../std/environment.ts'
import { findStat, readText } from '../std/file.ts'

export interface Repo {
  /** Top of the work tree, with symlinks resolved. */
  root: string
  /** Git directory of this work tree. */
  gitDir: string
  /** Git directory shared by all work trees. */
  commonDir: string
  /** Empty for the main work tree, otherwise its name below `worktrees/`. */
  worktreeId: string
  env: Environment
  /** The caller named the repository (`git --git-dir=…`), so discovery might find another one. */
  explicit: boolean
}

/** The repository around a directory, or undefined when there is none. */
export function findRepo(from: string, env: Environment): Repo | undefined {
  const start = realDir(from)
  if (start === undefined) return undefined
  for (let dir = start; ; dir = dirname(dir)) {
    const gitDir = findGitDir(join(dir, '.git'))
    if (gitDir !== undefined) return describe(dir, gitDir, env, false)
    if (dirname(dir) === dir) return undefined
  }
}

/**
 * The repository a git hook was started in. Git runs hooks at the top of the work tree, and may name the git
 * directory.
 */
export function findHookRepo(cwd: string, env: Environment): Repo | undefined {
  const found = findRepo(cwd, env)
  const named = env.GIT_DIR === undefined ? undefined : realDir(resolve(cwd, env.GIT_DIR))
  if (named === undefined || named === found?.gitDir || !isGitDir(named)) return found
  const root = realDir(resolve(cwd, env.GIT_WORK_TREE ?? '.'))
  return root === undefined ? found : describe(root, named, env, true)
}

function describe(root: string, gitDir: string, env: Environment, explicit: boolean): Repo {
  const shared = readText(join(gitDir, 'commondir'))?.trim()
  const commonDir = shared === undefined ? gitDir : (realDir(resolve(gitDir, shared)) ?? gitDir)
  const worktreeId = commonDir !== gitDir && basename(dirname(gitDir)) === 'worktrees' ? basename(gitDir) : ''
  return { root, gitDir, commonDir, worktreeId, env, explicit }
}

/** How the repository names objects. https://git-scm.com/docs/git-config#Documentation/git-config.txt-extensionsobjectFormat */
export function objectFormat({ commonDir }: Repo): 'sha1' | 'sha256' {
  const lines = (readText(join(commonDir, 'config')) ?? '').split('\n')
  const isSha256 = lines.some((line) => line.toLowerCase().replace(/\s/g, '') === 'objectformat=sha256')
  return isSha256 ? 'sha256' : 'sha1'
}

function findGitDir(dotGit: string): string | undefined {
  const stat = findStat(dotGit)
  if (stat === undefined) return undefined
  if (stat.isDirectory()) return isGitDir(dotGit) ? realDir(dotGit) : undefined
  const target = readText(dotGit)
    ?.match(/^gitdir: (.+)/)?.[1]
    ?.trimEnd()
  const gitDir = target === undefined ? undefined : realDir(resolve(dirname(dotGit), target))
  return gitDir !== undefined && isGitDir(gitDir) ? gitDir : undefined
}

function isGitDir(dir: string): boolean {
  try {
    // Symlinks are not followed: HEAD may be one to a branch that has no commit yet.
    return lstatSync(join(dir, 'HEAD')) !== undefined
  } catch {
    return false
  }
}

function realDir(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
