// Fetches and lists refs of a remote, each with one git command.

import { git } from './exec.ts'
import type { Repo } from './repo.ts'

interface FetchFailure {
  kind: 'failed'
  why: string
}

export type FetchResult = { kind: 'fetched' } | { kind: 'absent' } | FetchFailure

/** How long git may talk to a remote. */
export const remoteTimeoutMs = 120_000

/** Exit codes of a git that was ended because its time was up. */
export const outOfTime = [143, 137]

export interface FetchOptions {
  /**
   * Git may ask the person at the terminal for a password. It stays in the terminal's process group, so ssh
   * may too.
   */
  mayAsk: boolean
  tags?: boolean
  timeoutMs?: number
}

/** `refspecs` name exact refs. The result is `absent` when the remote answered and lacks one of them. */
export async function fetchRefs(
  repo: Repo,
  remote: string,
  refspecs: string[],
  options: FetchOptions,
): Promise<FetchResult> {
  const { timeoutMs = remoteTimeoutMs } = options
  const flags = ['--quiet', '--no-write-fetch-head', ...(options.tags ? [] : ['--no-tags'])]
  const result = await git(repo, ['fetch', ...flags, '--', remote, ...refspecs], {
    accept: [1, 128, ...outOfTime],
    timeoutMs,
    ...(options.mayAsk ? { env: { GIT_TERMINAL_PROMPT: '1' } } : {}),
  })
  if (result.code === 0) return { kind: 'fetched' }
  return /couldn't find remote ref/.test(result.stderr) ? { kind: 'absent' } : failureOf(result, timeoutMs)
}

/** The names of the refs on a remote that match the patterns. */
export async function listRemoteRefs(
  repo: Repo,
  remote: string,
  patterns: string[],
  { mayAsk, timeoutMs = remoteTimeoutMs }: FetchOptions,
): Promise<string[] | FetchFailure> {
  const result = await git(repo, ['ls-remote', '--quiet', '--', remote, ...patterns], {
    accept: [1, 128, ...outOfTime],
    timeoutMs,
    ...(mayAsk ? { env: { GIT_TERMINAL_PROMPT: '1' } } : {}),
  })
  if (result.code !== 0) return failureOf(result, timeoutMs)
  return [...result.stdout.toString('utf8').matchAll(/^\w+\t(.+)$/gm)].map(([, ref = '']) => ref)
}

function failureOf({ code, stderr }: { code: number; stderr: string }, timeoutMs: number): FetchFailure {
  if (outOfTime.includes(code)) return { kind: 'failed', why: lateText(timeoutMs) }
  const lines = stderr.trim().split('\n')
  const why = lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines.at(-1) ?? `exit code ${code}`
  // Git quotes URLs as they are configured, which may include a password.
  return { kind: 'failed', why: why.replace(/\/\/[^/@\s]*@/g, '//') }
}

export function lateText(timeoutMs: number): string {
  return `no answer within ${timeoutMs / 1000} s`
}
