// Compares the messages of an extension with the table of the protocol, and keeps the faults for the rules.

import { safeParse } from 'valibot'
import type { Manifest } from '../../../extensions/manifest.ts'
import { findRefusal } from '../../../extensions/permissions.ts'
import { parseMethodParams } from '../../../extensions/serve.ts'
import { type Incoming, parseLine } from '../../../protocol/extension/rpc.ts'
import { findMethod, isRegistration, type MethodName, methods } from '../../../protocol/extension/table.ts'
import { asObject, parseJson } from '../../../std/json.ts'

/** The faults that a message can have, each a rule of its own. */
export type WireFault =
  | 'json'
  | 'envelope'
  | 'known'
  | 'schema'
  | 'registrations'
  | 'in-time'
  | 'permissions'
  | 'answers'
  | 'one-answer'
  | 'length'
  | 'one-way'

export interface WireLog {
  note(fault: WireFault, received: string): void
  find(fault: WireFault): string[]
}

export function createWireLog(): WireLog {
  const faults = new Map<WireFault, string[]>()
  return {
    note: (fault, received) => void faults.set(fault, [...(faults.get(fault) ?? []), received]),
    find: (fault) => [...new Set(faults.get(fault) ?? [])],
  }
}

/** Judges a line by itself; returns the message when it can be parsed. */
export function judgeLine(log: WireLog, line: string): Incoming | undefined {
  const message = parseLine(line)
  if (message === undefined) log.note('json', excerptOf(line))
  else if (asObject(parseJson(line))?.jsonrpc !== '2.0') log.note('envelope', excerptOf(line))
  return message
}

/** Judges a request or notice to the host. */
export function judgeCall(
  log: WireLog,
  manifest: Manifest,
  call: Extract<Incoming, { method: string }>,
  isInitialized: boolean,
): void {
  const fault = findCallFault(manifest, call, isInitialized)
  if (fault) log.note(...fault)
}

type NotedFault = [fault: WireFault, received: string]

function findCallFault(
  manifest: Manifest,
  { kind, method, params }: Exclude<Incoming, { kind: 'answer' }>,
  isInitialized: boolean,
): NotedFault | undefined {
  const known = findMethod(method)
  // Notices with this prefix may be ignored.
  if (!known)
    return kind === 'notice' && method.startsWith('$/') ? undefined : ['known', `${kind} \`${method}\``]
  if (known.to === 'extension')
    return ['known', `\`${method}\`, which is a call from the host to the extension`]
  if ((known.result !== undefined) !== (kind === 'request'))
    return ['known', `\`${method}\` as a ${kind}, which is a ${kind === 'request' ? 'notice' : 'request'}`]
  const parsed = parseMethodParams(method, params)
  const received = excerptOf(JSON.stringify(params))
  if ('problem' in parsed)
    return [
      isRegistration(method) ? 'registrations' : 'schema',
      `\`${method}\`: ${parsed.problem}: ${received}`,
    ]
  if (isInitialized && isRegistration(method)) return ['in-time', `\`${method}\`: ${received}`]
  const refusal = findRefusal(manifest, method, known, parsed.value)
  return refusal === undefined ? undefined : ['permissions', refusal]
}

export function judgeAnswer(
  log: WireLog,
  method: string,
  answer: Extract<Incoming, { kind: 'answer' }>,
): void {
  const schema = Object.hasOwn(methods, method) ? findMethod(method as MethodName)?.result : undefined
  if (schema === undefined || answer.error !== undefined) return
  const parsed = safeParse(schema, answer.result)
  if (parsed.success) return
  const [issue] = parsed.issues
  const path = issue.path?.map(({ key }) => String(key)).join('.') ?? 'result'
  log.note('answers', `\`${method}\`: ${path}: ${issue.message}: ${excerptOf(JSON.stringify(answer.result))}`)
}

/** The beginning of a text that may be long or missing. */
export function excerptOf(text: string | undefined): string {
  const whole = text ?? 'nothing'
  return whole.length > 200 ? `${whole.slice(0, 200)}…` : whole
}
