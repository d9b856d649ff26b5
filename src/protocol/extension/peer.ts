// One side of a conversation in lines: requests and their answers, deadlines, and taking a request back. It knows no method; what it
// sends goes through `send`, what arrives comes in through `receive`.
import { Buffer } from 'node:buffer'
import { asObject, asString, type Json, type JsonObject, parseJson } from '../../std/json.ts'
import { maxLineBytes } from './table.ts'

/** An error that crossed the wire, or will. */
export class RpcFailure extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

export interface PeerOptions {
  /** Writes a whole line; what it throws or rejects with is the failure of the message. */
  send(line: string): void | Promise<void>
  /** Answers a request. What it throws is the answer, too. */
  serve(method: string, params: unknown, signal: AbortSignal): unknown
  hear(method: string, params: unknown): void
  /** A line that was no message. */
  reject(line: string): void
}

export interface RequestOptions {
  signal?: AbortSignal | undefined
  deadlineMs?: number | undefined
  /** Hears of the deadline as well. */
  onLate?: (() => void) | undefined
}

interface Pending {
  resolve(result: unknown): void
  reject(error: Error): void
}

export type Peer = ReturnType<typeof createPeer>

export function createPeer({ send, serve, hear, reject }: PeerOptions) {
  const pending = new Map<number, Pending>()
  const serving = new Map<number, AbortController>()
  let lastId = 0
  let closed: Error | undefined

  const write = async (line: string) => {
    if (closed) throw closed
    // No string is longer in bytes than three times its length, so the bytes are counted only when they may matter.
    if (line.length * 3 > maxLineBytes && Buffer.byteLength(line) >= maxLineBytes)
      throw new RpcFailure(
        codes.failed,
        `message of ${Buffer.byteLength(line)} bytes: a line must be below ${maxLineBytes}`,
      )
    await send(line)
  }

  async function request(
    method: string,
    params: unknown,
    { signal, deadlineMs, onLate }: RequestOptions = {},
  ): Promise<unknown> {
    signal?.throwIfAborted()
    const id = ++lastId
    let takeBack: (error: Error) => void = () => {}
    const onAbort = () =>
      takeBack(signal?.reason instanceof Error ? signal.reason : new RpcFailure(codes.failed, 'cancelled'))
    const tooLate = () => {
      takeBack(new RpcFailure(codes.failed, `${method}: no answer within ${deadlineMs} ms`))
      onLate?.()
    }
    const timer = deadlineMs === undefined ? undefined : setTimeout(tooLate, deadlineMs)
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      return await new Promise<unknown>((resolve, fail) => {
        pending.set(id, { resolve, reject: fail })
        takeBack = (error) => {
          if (!pending.delete(id)) return
          tell('$/cancelRequest', { id })
          fail(error)
        }
        write(requestLine(id, method, params)).catch((error: Error) => {
          if (pending.delete(id)) fail(error)
        })
      })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  /** Resolves when the line is on its way: those who tell much wait for it. */
  function tell(method: string, params: unknown): Promise<boolean> {
    return write(noticeLine(method, params)).then(
      () => true,
      () => false,
    )
  }

  async function answer(id: number, method: string, params: unknown): Promise<void> {
    const controller = new AbortController()
    serving.set(id, controller)
    try {
      const result = await serve(method, params, controller.signal)
      await write(resultLine(id, result))
    } catch (error) {
      // An answer that cannot be written is an error; an error that cannot be written is nothing.
      await write(errorLine(id, asRpcError(error))).catch(() => {})
    } finally {
      serving.delete(id)
    }
  }

  /** Takes one line. Answers to requests that nobody waits for any more are dropped. */
  function receive(line: string): void {
    if (line.trim() === '') return
    const message = parseLine(line)
    if (message === undefined) reject(line)
    else if (message.kind === 'request') void answer(message.id, message.method, message.params)
    else if (message.kind === 'answer') settle(message)
    else if (message.method === '$/cancelRequest') cancel(message.params)
    else hear(message.method, message.params)
  }

  function settle({ id, result, error }: Extract<Incoming, { kind: 'answer' }>): void {
    const waiting = pending.get(id)
    if (waiting === undefined) return
    pending.delete(id)
    if (error) waiting.reject(new RpcFailure(error.code, error.message))
    else waiting.resolve(result)
  }

  /** A message that could not be read: whoever waits for it as an answer, or for an answer to it, hears of it. */
  function refuse(head: string): void {
    const id = Number(/"id"\s*:\s*(-?\d+)/.exec(head)?.[1])
    const problem = {
      code: codes.failed,
      message: `message too long: a line must be below ${maxLineBytes} bytes`,
    }
    if (!Number.isSafeInteger(id)) return
    if (/"method"\s*:/.test(head)) void write(errorLine(id, problem)).catch(() => {})
    else settle({ kind: 'answer', id, result: undefined, error: problem })
  }

  function cancel(params: unknown): void {
    const { id } = (params ?? {}) as { id?: unknown }
    if (typeof id === 'number') serving.get(id)?.abort(new RpcFailure(codes.failed, 'cancelled'))
  }

  /** From now on nothing is sent; whoever waits, and whatever is being answered, hears why. */
  function close(error: Error): void {
    if (closed) return
    closed = error
    for (const waiting of pending.values()) waiting.reject(error)
    pending.clear()
    for (const controller of serving.values()) controller.abort(error)
  }

  return {
    request,
    tell,
    receive,
    refuse,
    close,
    /** From the same counter as requests have theirs. */
    nextId: () => ++lastId,
    waiting: () => pending.size,
    serving: () => serving.size,
  }
}

function asRpcError(error: unknown): RpcError {
  if (error instanceof RpcFailure) return { code: error.code, message: error.message }
  return { code: codes.failed, message: error instanceof Error ? error.message : String(error) }
}

// One message, one line. Three kinds are told apart by what they have: an answer has an id, a request has a method as well, a notice
// has no id.

export const codes = {
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  failed: -32603,
  notFound: -32604,
} as const

export interface RpcError {
  code: number
  message: string
}

export type Incoming =
  | { kind: 'request'; id: number; method: string; params: Json | undefined }
  | { kind: 'notice'; method: string; params: Json | undefined }
  | { kind: 'answer'; id: number; result: Json | undefined; error: RpcError | undefined }

/** Undefined for a line that is not a message. */
export function parseLine(line: string): Incoming | undefined {
  const message = asObject(parseJson(line))
  if (message === undefined) return undefined
  const { id = null, params } = message
  const method = asString(message.method) ?? ''
  if (id === null) return method === '' ? undefined : { kind: 'notice', method, params }
  if (!Number.isSafeInteger(id)) return undefined
  const number = id as number
  if (method !== '') return { kind: 'request', id: number, method, params }
  return { kind: 'answer', id: number, result: message.result, error: asError(message.error) }
}

function asError(value: Json | undefined): RpcError | undefined {
  const error = asObject(value)
  if (error === undefined) return undefined
  return {
    code: typeof error.code === 'number' ? error.code : codes.failed,
    message: asString(error.message) ?? 'unknown error',
  }
}

export function requestLine(id: number, method: string, params: unknown): string {
  return line({ id, method, params })
}

export function noticeLine(method: string, params: unknown): string {
  return line({ method, params })
}

export function resultLine(id: number, result: unknown): string {
  return line({ id, result: result === undefined ? {} : result })
}

export function errorLine(id: number, error: RpcError): string {
  return line({ id, error })
}

function line(message: { [Key in keyof JsonObject]: unknown }): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
}
