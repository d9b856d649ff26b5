// Runs an extension for a rule: sends requests, answers as an empty host would, and notes faults in messages.

import { parse } from 'valibot'
import { type HostlessExtension, startHostless } from '../../../extensions/hostless-extension.ts'
import type { Manifest } from '../../../extensions/manifest.ts'
import {
  errorLine,
  type Incoming,
  noticeLine,
  parseLine,
  RpcFailure,
  requestLine,
  resultLine,
  rpcErrorCodes,
} from '../../../protocol/extension/rpc.ts'
import { findMethod } from '../../../protocol/extension/table.ts'
import type { Environment } from '../../../std/environment.ts'
import type { ChildExit } from '../../../std/long-running-child.ts'
import { BrokenRule } from '../rule.ts'
import { excerptOf, judgeAnswer, judgeCall, judgeLine, type WireLog } from './wire-log.ts'

export type ProbeAnswer = Pick<AnswerMessage, 'result' | 'error'>
export type ProbeCall = Exclude<Incoming, { kind: 'answer' }>
type AnswerMessage = Extract<Incoming, { kind: 'answer' }>

export interface ProbeOptions {
  manifest: Manifest
  env: Environment
  log: WireLog
  answerMs: number
  /** Answers the requests of the extension; what it throws becomes an error answer. */
  answerWith?(method: string): unknown
}

export class Probe {
  /** Every request and notice that the extension has sent so far. */
  readonly calls: ProbeCall[] = []
  readonly exited: Promise<ChildExit>
  readonly #options: Required<ProbeOptions>
  readonly #extension: HostlessExtension
  readonly #sent = new Map<number, string>()
  readonly #answers = new Map<number, ProbeAnswer>()
  readonly #waiting = new Map<number, (answer: ProbeAnswer) => void>()
  #lastId = 0
  #isInitialized = false
  #isKilled = false

  constructor(options: ProbeOptions) {
    this.#options = { answerWith: emptyAnswer, ...options }
    const { manifest, env, log } = options
    this.#extension = startHostless(manifest, env, {
      onLine: (line) => this.#onLine(line),
      onTooLong: (head) => log.note('length', `a line of 4 MiB or more that begins with ${excerptOf(head)}`),
      onPrinted: (line) => {
        if (parseLine(line) !== undefined && !this.#isKilled) log.note('one-way', excerptOf(line))
      },
    })
    this.exited = this.#extension.exited
  }

  /** Sends a request and returns its answer. The rule is broken when none comes in time. */
  ask(method: string, params?: unknown, withinMs?: number): Promise<ProbeAnswer> {
    return this.answerTo(this.send(method, params), withinMs)
  }

  /** Sends a request without waiting, and returns its id. */
  send(method: string, params?: unknown): number {
    const { id, line } = this.lineFor(method, params)
    this.#put(line)
    return id
  }

  /** Formats a request as a line that the rule writes itself. */
  lineFor(method: string, params: unknown = {}): { id: number; line: string } {
    this.#lastId += 1
    this.#sent.set(this.#lastId, method)
    return { id: this.#lastId, line: requestLine(this.#lastId, method, params) }
  }

  async answerTo(id: number, withinMs = this.#options.answerMs): Promise<ProbeAnswer> {
    const known = this.#answers.get(id)
    if (known) return known
    const arrival = new Promise<ProbeAnswer>((resolve) => this.#waiting.set(id, resolve))
    const answer = await Promise.race([arrival, this.exited, later(withinMs)])
    if (answer !== undefined && !('code' in answer)) return answer
    // Bytes written before the process ended may still be on their way.
    const late = answer === undefined ? undefined : await Promise.race([arrival, later(100)])
    if (late) return late
    throw noAnswer(this, this.#sent.get(id) ?? '', answer, withinMs)
  }

  tell(method: string, params?: unknown): void {
    this.#put(noticeLine(method, params))
  }

  /** Writes bytes as they are. Returns in any case: whether the extension read them shows in its answers. */
  async write(bytes: string | Uint8Array): Promise<void> {
    await Promise.race([this.#extension.write(bytes).catch(() => {}), later(this.#options.answerMs)])
  }

  /** Reads nothing until `resume`. */
  pause(): void {
    this.#extension.pause()
  }

  resume(): void {
    this.#extension.resume()
  }

  closeInput(): void {
    this.#extension.closeInput()
  }

  /** The last lines that the extension wrote beside the protocol. */
  printed(): string[] {
    return this.#extension.printed()
  }

  /** How the process ended; undefined when it did not end in time. */
  endWithin(ms: number): Promise<ChildExit | undefined> {
    return Promise.race([this.exited, later(ms)])
  }

  async kill(): Promise<void> {
    this.#isKilled = true
    await this.#extension.kill()
  }

  #put(text: string): void {
    void this.#extension.write(text).catch(() => {})
  }

  #onLine(line: string): void {
    if (this.#isKilled) return
    const message = judgeLine(this.#options.log, line)
    if (message?.kind === 'answer') this.#settle(message)
    else if (message) this.#serve(message)
  }

  #settle(message: AnswerMessage): void {
    const { log } = this.#options
    const { id } = message
    const method = this.#sent.get(id)
    if (method === undefined || this.#answers.has(id)) {
      const what =
        method === undefined
          ? `an answer to ${id}, which is the id of no request`
          : `a second answer to \`${method}\``
      log.note('one-answer', `${what}: ${excerptOf(JSON.stringify(message.error ?? message.result))}`)
      return
    }
    if (method === 'initialize') this.#isInitialized = true
    judgeAnswer(log, method, message)
    this.#answers.set(id, message)
    this.#waiting.get(id)?.(message)
  }

  #serve(call: ProbeCall): void {
    const { log, manifest, answerWith } = this.#options
    this.calls.push(call)
    judgeCall(log, manifest, call, this.#isInitialized)
    if (call.kind !== 'request') return
    try {
      this.#put(resultLine(call.id, answerWith(call.method)))
    } catch (error) {
      const code = error instanceof RpcFailure ? error.code : rpcErrorCodes.failed
      this.#put(errorLine(call.id, { code, message: (error as Error).message }))
    }
  }
}

function noAnswer(probe: Probe, method: string, exit: ChildExit | undefined, withinMs: number): BrokenRule {
  if (exit?.startError !== undefined)
    return new BrokenRule({
      expected: 'a program that can be started',
      received: exit.startError,
      fix: 'Install the runtime that the manifest names, or put it on the PATH.',
    })
  if (exit)
    return new BrokenRule({
      expected: `an answer to \`${method}\``,
      received: withPrinted(`the end of the process (${describeExit(exit)})`, probe),
      fix: 'Catch exceptions of handlers, and answer with an error: the process must keep running.',
    })
  return new BrokenRule({
    expected: `an answer to \`${method}\` within ${withinMs / 1000} s`,
    received: withPrinted('none', probe),
    fix: 'Answer every request, with an error if necessary, and keep reading while a handler runs.',
  })
}

export function describeExit({ code, signal, startError }: ChildExit): string {
  return startError ?? (signal ? `killed by ${signal}` : `exit code ${code}`)
}

export function withPrinted(text: string, probe: Probe): string {
  const lines = probe.printed().slice(-3)
  return lines.length === 0 ? text : `${text}; it printed: ${excerptOf(lines.join(' | '))}`
}

function later(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined).unref())
}

/**
 * Where an empty result would not be true of a host without tools, models, keys and a person at the terminal.
 */
const specialAnswers: Record<string, () => unknown> = {
  'host/askUser': () => ({ selected: '', cancelled: true }),
  'host/executeTool': () => refuse(rpcErrorCodes.notFound, 'unknown tool'),
  'host/activateTool': () => refuse(rpcErrorCodes.notFound, 'unknown tool'),
  'host/chat': () => refuse(rpcErrorCodes.failed, 'no model configured'),
  'host/agent.run': () => refuse(rpcErrorCodes.failed, 'no model configured'),
  'host/triggerCompact': () => refuse(rpcErrorCodes.failed, 'no compactor registered'),
  'host/undoRestore': () => refuse(rpcErrorCodes.notFound, 'no snapshot for path'),
}

/** The answer of an empty host. Throws an RpcFailure for requests that it cannot serve. */
function emptyAnswer(method: string): unknown {
  const schema = findMethod(method)?.result
  if (schema === undefined) return refuse(rpcErrorCodes.unknownMethod, `method not found: ${method}`)
  const answer = specialAnswers[method]
  return answer ? answer() : parse(schema, {})
}

export function refuseAll(): never {
  return refuse(rpcErrorCodes.failed, 'host app not available')
}

function refuse(code: number, message: string): never {
  throw new RpcFailure(code, message)
}
