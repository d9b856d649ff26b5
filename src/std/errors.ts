// Every failure a person can act on is an EntireError: a code for programs, a message for people, a hint for what to do next.

export const errorCodes = [
  'agent-failed',
  'bad-payload',
  'bad-id',
  'bad-settings',
  'bad-usage',
  'busy',
  'corrupt-state',
  'exists',
  'git-failed',
  'no-commits',
  'no-git',
  'no-repo',
  'no-terminal',
  'not-found',
  'ref-moved',
  'transcript-missing',
  'transcript-too-large',
  'uncommitted-changes',
  'unknown-agent',
  'unknown-hook',
  'write-failed',
] as const

export type ErrorCode = (typeof errorCodes)[number]

export class EntireError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'EntireError'
    this.code = code
    this.hint = options.hint
  }
}

export function isErrno(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
