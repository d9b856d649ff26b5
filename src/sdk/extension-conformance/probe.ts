// One run of the extension in the hands of a rule: it answers what it is asked, and says what came.

import { parse } from 'valibot'
import type { Environment } from '../../extensions/launch.ts'
import type { Manifest } from '../../extensions/manifest.ts'
import { openWire, type Wire } from '../../extensions/wire.ts'
import {
  codes,
  errorLine,
  type Incoming,
  noticeLine,
  parseLine,
  RpcFailure,
  requestLine,
  resultLine,
} from '../../protocol/extension/peer.ts'
import { findMethod } from '../../protocol/extension/table.ts'
import type { ChildExit } from '../../std/child-process.ts'
import { Broken } from '../conformance/broken.ts'
import { excerpt, judgeAnswer, judgeCall, judgeLine, type WireLog } from './wire-log.ts'

export type Answer = Pick<Extract<Incoming, { kind: 'answer' }>, 'result' | 'error'>
export type Call = Exclude<Incoming, { kind: 'answer' }>

export interface ProbeOptions {
  manifest: Manifest
  env: Environment
  log: WireLog
  answerMs: number
  /** Answers its questions; what it throws is the answer, too. */
  answerWith?(method: string): unknown
}

export interface Probe
  extends Pick<Wire, 'write' | 'pause' | 'resume' | 'closeInput' | 'printed' | 'exited'> {
  /** Its answer. Broken when there is none in time. */
  ask(method: string, params?: unknown, withinMs?: number): Promise<Answer>
  /** The same, without waiting: gives the id. */
  send(method: string, params?: unknown): number
  /** A request as a line that the rule writes itself. */
  lineFor(method: string, params?: unknown): { id: number; line: string }
  answerTo(id: number, withinMs?: number): Promise<Answer>
  tell(method: string, params?: unknown): void
  /** Everything it asked and told so far. */
  calls: Call[]
  /** How it ended; undefined when it did not within the time. */
  endWithin(ms: number): Promise<ChildExit | undefined>
  kill(): Promise<void>
}

export function openProbe({ manifest, env, log, answerMs, answerWith = emptyAnswer }: ProbeOptions): Probe {
  const calls: Call[] = []
  const asked = new Map<number, string>()
  const answers = new Map<number, Answer>()
  const waiting = new Map<number, (answer: Answer) => void>()
  let lastId = 0
  let isShaken = false
  let isOver = false
  const put = (text: string) => void wire.write(text).catch(() => {})

  const settle = (message: Extract<Incoming, { kind: 'answer' }>) => {
    const { id } = message
    const method = asked.get(id)
    if (method === undefined || answers.has(id)) {
      const what =
        method === undefined ? `an answer to ${id}, which nobody asked` : `a second answer to \`${method}\``
      log.note('one-answer', `${what}: ${excerpt(JSON.stringify(message.error ?? message.result))}`)
      return
    }
    if (method === 'initialize') isShaken = true
    judgeAnswer(log, method, message)
    answers.set(id, message)
    waiting.get(id)?.(message)
  }
  const serve = (call: Call) => {
    calls.push(call)
    judgeCall(log, manifest, call, isShaken)
    if (call.kind !== 'request') return
    try {
      put(resultLine(call.id, answerWith(call.method)))
    } catch (error) {
      const code = error instanceof RpcFailure ? error.code : codes.failed
      put(errorLine(call.id, { code, message: (error as Error).message }))
    }
  }
  const wire = openWire(manifest, env, {
    onLine(line) {
      if (isOver) return
      const message = judgeLine(log, line)
      if (message?.kind === 'answer') settle(message)
      else if (message) serve(message)
    },
    onTooLong: (head) => log.note('length', `a line of 4 MiB or more that begins with ${excerpt(head)}`),
    onPrinted: (line) => {
      if (parseLine(line) !== undefined && !isOver) log.note('one-way', excerpt(line))
    },
  })

  const lineFor: Probe['lineFor'] = (method, params = {}) => {
    const id = ++lastId
    asked.set(id, method)
    return { id, line: requestLine(id, method, params) }
  }
  const send: Probe['send'] = (method, params) => {
    const { id, line } = lineFor(method, params)
    put(line)
    return id
  }
  const answerTo: Probe['answerTo'] = async (id, withinMs = answerMs) => {
    const known = answers.get(id)
    if (known) return known
    const method = asked.get(id)
    const came = new Promise<Answer>((resolve) => waiting.set(id, resolve))
    const answer = await Promise.race([came, wire.exited, later(withinMs)])
    if (answer !== undefined && !('code' in answer)) return answer
    // What was written before the end may still be on its way.
    const last = answer === undefined ? undefined : await Promise.race([came, later(100)])
    if (last) return last
    throw noAnswer(method ?? '', answer, withinMs, wire)
  }
  return {
    ...wire,
    // Whether anybody reads it shows in the answers.
    write: async (bytes) => {
      await Promise.race([wire.write(bytes).catch(() => {}), later(answerMs)])
    },
    calls,
    lineFor,
    send,
    answerTo,
    ask: (method, params, withinMs) => answerTo(send(method, params), withinMs),
    tell: (method, params) => put(noticeLine(method, params)),
    endWithin: (ms) => Promise.race([wire.exited, later(ms)]),
    async kill() {
      isOver = true
      await wire.kill()
    },
  }
}

function noAnswer(method: string, exit: ChildExit | undefined, withinMs: number, wire: Wire): Broken {
  if (exit?.startError !== undefined)
    return new Broken({
      expected: 'a program that can be started',
      received: exit.startError,
      fix: 'Install the runtime that the manifest names, or put it on the PATH.',
    })
  if (exit)
    return new Broken({
      expected: `an answer to \`${method}\``,
      received: withPrinted(`the end of the process (${describeExit(exit)})`, wire),
      fix: 'Catch what handlers throw, and answer with an error: the process must go on.',
    })
  return new Broken({
    expected: `an answer to \`${method}\` within ${withinMs / 1000} s`,
    received: withPrinted('none', wire),
    fix: 'Answer every request, with an error if need be, and read on while a handler works.',
  })
}

export function describeExit({ code, signal, startError }: ChildExit): string {
  return startError ?? (signal ? `killed by ${signal}` : `exit code ${code}`)
}

export function withPrinted(text: string, { printed }: Pick<Wire, 'printed'>): string {
  const lines = printed().slice(-3)
  return lines.length === 0 ? text : `${text}; it printed: ${excerpt(lines.join(' | '))}`
}

function later(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined).unref())
}

// What a host says that has nothing: no tools, no models, no keys, and nobody at the terminal.

/** Where nothing at all would be a lie. */
const special: Record<string, () => unknown> = {
  'host/askUser': () => ({ selected: '', cancelled: true }),
  'host/executeTool': () => refuse(codes.notFound, 'unknown tool'),
  'host/activateTool': () => refuse(codes.notFound, 'unknown tool'),
  'host/chat': () => refuse(codes.failed, 'no model configured'),
  'host/agent.run': () => refuse(codes.failed, 'no model configured'),
  'host/triggerCompact': () => refuse(codes.failed, 'no compactor registered'),
  'host/undoRestore': () => refuse(codes.notFound, 'no snapshot for path'),
}

/** The answer of an empty host. Throws an RpcFailure for what it cannot do. */
export function emptyAnswer(method: string): unknown {
  const schema = findMethod(method)?.result
  if (schema === undefined) return refuse(codes.unknownMethod, `method not found: ${method}`)
  const answer = special[method]
  return answer ? answer() : parse(schema, {})
}

export function refuseAll(): never {
  return refuse(codes.failed, 'host app not available')
}

function refuse(code: number, message: string): never {
  throw new RpcFailure(code, message)
}
