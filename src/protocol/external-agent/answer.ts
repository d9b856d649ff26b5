// Parses the output of a plugin into the message that the table promises, or says what is wrong with it.

import * as v from 'valibot'
import { type MessageName, type Messages, messages } from './messages.ts'
import { findSubcommand, type SubcommandName, type subcommands } from './table.ts'

type Stdout<Name extends SubcommandName> = (typeof subcommands)[Name]['stdout']

/** The message that a subcommand prints. */
export type AnswerMessage<Name extends SubcommandName> =
  Stdout<Name> extends MessageName ? Messages[Stdout<Name>] : undefined

export type Parsed<Value> = { ok: true; value: Value } | { ok: false; problem: string }

/** The value is undefined for subcommands that print bytes or nothing. */
export function parseSubcommandAnswer<Name extends SubcommandName>(
  name: Name,
  stdout: Uint8Array,
): Parsed<AnswerMessage<Name>> {
  const { stdout: content, blankIsNull } = findSubcommand(name)
  const value =
    content === 'bytes' || content === 'nothing'
      ? { ok: true as const, value: undefined }
      : parse(content, stdout, blankIsNull)
  return value as Parsed<AnswerMessage<Name>>
}

export function parseWireMessage<Name extends MessageName>(
  name: Name,
  value: unknown,
): Parsed<Messages[Name]> {
  // The schema would take a list for an object.
  if (Array.isArray(value)) return { ok: false, problem: 'must be Object, not Array' }
  const result = v.safeParse(messages[name], value)
  if (result.success) return { ok: true, value: result.output as Messages[Name] }
  return { ok: false, problem: result.issues.map(describe).join('; ') }
}

function parse(name: MessageName, stdout: Uint8Array, blankIsNull = false): Parsed<unknown> {
  const text = new TextDecoder().decode(stdout).trim()
  if (text === '')
    return blankIsNull ? { ok: true, value: null } : { ok: false, problem: 'nothing was printed' }
  try {
    return parseWireMessage(name, JSON.parse(text))
  } catch {
    return { ok: false, problem: `not JSON: ${oneLineExcerpt(text)}` }
  }
}

/** Issues with a message of the schema; for others the expected type says more. */
const ownMessages = new Set(['regex', 'check', 'non_empty'])

function describe(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue)
  const message = ownMessages.has(issue.type)
    ? issue.message
    : `must be ${issue.expected ?? 'something else'}, not ${issue.received}`
  return path === null ? message : `${path} ${message}`
}

/** The beginning of a text, on one line. */
export function oneLineExcerpt(text: string, length = 200): string {
  const line = JSON.stringify(text.slice(0, length)).slice(1, -1)
  return text.length > length ? `${line}…` : line
}
