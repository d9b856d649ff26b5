// Runs git: with a clean environment, without prompts, and with git's own words when it fails.

import { EntireError, isErrno, notFound } from '../std/errors.ts'
import { exists } from '../std/file.ts'
import { given } from '../std/given.ts'
import type { LimitedResult } from '../std/limited-process.ts'
import { noteInHeldLocks } from '../std/lock.ts'
import { type PipedProcess, type ProcResult, run, startPiped } from '../std/process.ts'
import { gitEnv } from './env.ts'
import type { Repo } from './repo.ts'

export interface GitOptions {
  stdin?: string | Uint8Array
  /** Exit codes besides 0 that are answers rather than failures. */
  accept?: number[]
  env?: Record<string, string>
  timeoutMs?: number
}

// If this process and its git are killed, the next one knows whose locks it finds: sessions/orphaned-locks.ts.
function noteWriter(): void {
  noteInHeldLocks(`git ${Date.now()}`)
}

// Commands that lock something, besides those that `startGit` starts.
const writers = /^(?:add|commit|update-ref|config|fetch)$/

// `cat-file --batch-command -z`: https://github.com/git/git/blob/master/Documentation/RelNotes/2.38.0.txt
const oldestGit = [2, 38] as const
export const installGitHint = `Install git ${oldestGit.join('.')} or later.`

/** What git calls its version when it is too old for this program. */
export async function findOldGit(repo: Repo): Promise<string | undefined> {
  const text = (await git(repo, ['--version'])).stdout.toString('utf8').trim()
  const [major = 0, minor = 0] = /(\d{1,9})\.(\d{1,9})/.exec(text)?.slice(1).map(Number) ?? []
  return major > oldestGit[0] || (major === oldestGit[0] && minor >= oldestGit[1]) ? undefined : text
}

export async function git(repo: Repo, args: string[], options: GitOptions = {}): Promise<ProcResult> {
  if (args.some((arg) => writers.test(arg))) noteWriter()
  const result = await run(argv(repo, args), {
    cwd: repo.root,
    env: { ...gitEnv(repo.env), ...options.env },
    ...given({ stdin: options.stdin, timeoutMs: options.timeoutMs }),
  }).catch((error: unknown) => {
    throw startFailure(repo, error)
  })
  if (result.code !== 0 && !options.accept?.includes(result.code)) throw gitFailure(args, result)
  return result
}

// Enough for git's report about a transfer; the objects themselves go to its object store.
const maxReportBytes = 4 * 1024 * 1024

/**
 * Runs a git that talks to a remote. When its time is up it is killed together with everything it started: a
 * hanging ssh would keep the pipes open forever.
 */
export async function gitLimited(
  repo: Repo,
  args: string[],
  options: { stdin: string; timeoutMs: number },
): Promise<LimitedResult> {
  // Rarely needed, and slow to load.
  const { runLimited } = await import('../std/limited-process.ts')
  return await runLimited(argv(repo, args), {
    cwd: repo.root,
    env: gitEnv(repo.env),
    maxBytes: maxReportBytes,
    ...options,
  })
}

export function startGit(repo: Repo, args: string[], env: Record<string, string> = {}): PipedProcess {
  try {
    noteWriter()
    return startPiped(argv(repo, args), { cwd: repo.root, env: { ...gitEnv(repo.env), ...env } })
  } catch (error) {
    throw startFailure(repo, error)
  }
}

// ENOENT stands for a missing program and for a missing working directory.
function startFailure(repo: Repo, error: unknown): unknown {
  if (!isErrno(error, 'ENOENT')) return error
  if (!exists(repo.root))
    return new EntireError('no-repo', `${repo.root} no longer exists.`, { cause: error })
  return notFound(
    'program',
    'git',
    `${installGitHint.slice(0, -1)} and make sure it is on the PATH.`,
    'no-git',
  )
}

export function gitFailure(args: string[], result: { code: number; stderr: string }): EntireError {
  // Git exits with 129 when it does not know an option: https://git-scm.com/docs/api-parse-options
  if (result.code === 129)
    return new EntireError('git-failed', `This version of git does not support: git ${args.join(' ')}`, {
      hint: installGitHint,
    })
  const lines = result.stderr.trim().split('\n')
  const why = lines.find((line) => /^(fatal|error):/.test(line)) ?? lines.at(-1) ?? ''
  const isPartialClone = /promisor remote/.test(result.stderr)
  return new EntireError(
    'git-failed',
    `git ${args.find((arg) => !arg.startsWith('-')) ?? ''} failed: ${why || `exit code ${result.code}`}`,
    isPartialClone
      ? { hint: 'This is a partial clone: make sure its remote can be reached, then run the command again.' }
      : {},
  )
}

// --git-dir and --work-tree would switch off rules such as safe.directory. So git finds the repository by its
// working directory, unless the caller itself was started with an explicit repository.
function argv(repo: Repo, args: string[]): string[] {
  return repo.explicit
    ? ['git', `--git-dir=${repo.gitDir}`, `--work-tree=${repo.root}`, ...args]
    : ['git', ...args]
}
