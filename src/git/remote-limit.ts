// How long git may talk to a remote. It stays in the group of its terminal, so that ssh can ask there for a password, and is ended alone.
export const remoteTimeoutMs = 120_000

/** Exit codes of a git that was ended. */
export const outOfTime = [143, 137]

export function lateText(timeoutMs: number): string {
  return `no answer within ${timeoutMs / 1000} s`
}
