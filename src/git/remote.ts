// Getting refs from a remote, one `git fetch`. The person at the terminal may be asked for a password by git itself.

import { git } from './exec.ts'
import type { Repo } from './repo.ts'

export type FetchResult = { kind: 'fetched' } | { kind: 'absent' } | { kind: 'failed'; why: string }

/** `refspecs` name exact refs; `absent`: the remote answered, and does not have one of them. */
export async function fetchRefs(
  repo: Repo,
  remote: string,
  refspecs: string[],
  options: { mayAsk: boolean; tags?: boolean; timeoutMs?: number },
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
  // Git quotes addresses as they are configured, and people put passwords into them.
  return { kind: 'failed', why: why.replace(/\/\/[^/@\s]*@/g, '//') }
}

// How long git may talk to a remote. It stays in the group of its terminal, so that ssh can ask there for a password, and is ended alone.

export const remoteTimeoutMs = 120_000

/** Exit codes of a git that was ended. */
export const outOfTime = [143, 137]

export function lateText(timeoutMs: number): string {
  return `no answer within ${timeoutMs / 1000} s`
}
