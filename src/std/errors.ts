// Defines the error for failures a person can act on: a code for programs, a message for people, a hint for
// what to do next.

import { given } from './given.ts'

const errorCodes = [
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
  'not-fetched',
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

// One form for each kind of message. Names and values that come from outside are cleaned by the caller.

/** `checkpoint not found: 3f2a`. */
export function notFound(
  thing: string,
  name: string,
  hint?: string,
  code: ErrorCode = 'not-found',
): EntireError {
  return new EntireError(code, `${thing} not found: ${name}`, given({ hint }))
}

/** `Unknown agent "claud"`: a name that is not in a fixed list. */
export function unknownName(
  kind: string,
  name: string,
  hint?: string,
  code: ErrorCode = 'bad-usage',
): EntireError {
  return new EntireError(code, `Unknown ${kind} "${name}"`, given({ hint }))
}

/** `ambiguous session prefix "3f" matches 2 sessions: 3f01, 3f02`. */
export function ambiguousPrefix(
  thing: string,
  prefix: string,
  matches: string[],
  hint?: string,
): EntireError {
  const named = `${matches.slice(0, mostNamed).join(', ')}${matches.length > mostNamed ? ', …' : ''}`
  const message = `ambiguous ${thing} prefix "${prefix}" matches ${matches.length} ${thing}s: ${named}`
  return new EntireError('bad-id', message, { hint: hint ?? 'Type more of the id.' })
}

const mostNamed = 5

/** `"soon" is not a valid value for --timeout`. */
export function invalidValue(
  value: string,
  of: string,
  hint?: string,
  code: ErrorCode = 'bad-usage',
): EntireError {
  return new EntireError(code, `"${value}" is not a valid value for ${of}`, given({ hint }))
}

/** `--json and --transcript cannot be used together`. */
export function cannotCombine(choices: string[], hint?: string): EntireError {
  const list = `${choices.slice(0, -1).join(', ')} and ${choices.at(-1)}`
  return new EntireError('bad-usage', `${list} cannot be used together`, given({ hint }))
}

/** `--force requires --reset`. */
export function requires(choice: string, needed: string, hint?: string): EntireError {
  return new EntireError('bad-usage', `${choice} requires ${needed}`, given({ hint }))
}

/** Hint: `Use one of: debug, info. Did you mean info?` */
export function useOneOf(names: readonly string[], near: readonly string[] = []): string {
  return [`Use one of: ${names.join(', ')}.`, ...(near.length === 0 ? [] : [didYouMean(near)])].join(' ')
}

/** Hint: `Did you mean enable or disable?` */
export function didYouMean(names: readonly string[]): string {
  const last = names.at(-1)
  return `Did you mean ${names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${last}` : last}?`
}

/** The message and its hint on one line. */
export function messageWithHint({ message, hint }: EntireError): string {
  if (hint === undefined) return message
  return `${message}${/[.!?…]$/.test(message) ? '' : '.'} ${hint}`
}

export function isErrno(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

const systemReasons: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'it is larger than files may be',
  EIO: 'the disk failed',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'a part of its path is a file',
  EISDIR: 'a directory has its name',
  ELOOP: 'its path has too many symbolic links',
  ENAMETOOLONG: 'its name is too long',
  EBUSY: 'another program uses it',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENOMEM: 'there is not enough memory',
}

/** Why the operating system refused: nobody's bug, and something a person can mend. */
export function systemReason(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? systemReasons[String(error.code)] : undefined
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
