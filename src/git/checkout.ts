// Changing the branch of a work tree. Git refuses whatever would lose work; its words are the answer.
import { git } from './exec.ts'
import type { Repo } from './repo.ts'

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
