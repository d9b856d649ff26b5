// Fetches refs from a remote with one `git fetch`.

import { git } from './exec.ts'
import type { Repo } from './repo.ts'

export type FetchResult = { kind: 'fetched' } | { kind: 'absent' } | { kind: 'failed'; why: string }

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
  if (outOfTime.includes(result.code)) return { kind: 'failed', why: lateText(timeoutMs) }
  if (/couldn't find remote ref/.test(result.stderr)) return { kind: 'absent' }
  const lines = result.stderr.trim().split('\n')
  const why =
    lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines.at(-1) ?? `exit code ${result.code}`
  // Git quotes URLs as they are configured, which may include a password.
  return { kind: 'failed', why: why.replace(/\/\/[^/@\s]*@/g, '//') }
}

export function lateText(timeoutMs: number): string {
  return `no answer within ${timeoutMs / 1000} s`
}
