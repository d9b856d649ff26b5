// Speaks one side of the extension protocol: sends requests and answers, keeps deadlines, and cancels
// requests. It knows no method; lines go out through `send` and come in through `receive`.

import { Buffer } from 'node:buffer'
import {
  asRpcError,
  errorLine,
  type Incoming,
  noticeLine,
  parseLine,
  RpcFailure,
  requestLine,
  resultLine,
  rpcErrorCodes,
} from './rpc.ts'
import { maxLineBytes } from './table.ts'

export interface PeerOptions {
  /** Writes a whole line. An exception or rejection fails the message. */
  send(line: string): void | Promise<void>
  /** Answers a request; an exception becomes an error answer. */
  serve(method: string, params: unknown, signal: AbortSignal): unknown
  hear(method: string, params: unknown): void
  /** Gets each line that is not a message. */
  reject(line: string): void
}

export interface RequestOptions {
  signal?: AbortSignal | undefined
  deadlineMs?: number | undefined
  /** Called when the deadline passes; the request is rejected as well. */
  onLate?: (() => void) | undefined
}

interface PendingRequest {
  resolve(result: unknown): void
  reject(error: Error): void
}

export class Peer {
  readonly #options: PeerOptions
  readonly #pending = new Map<number, PendingRequest>()
  readonly #serving = new Map<number, AbortController>()
  #lastId = 0
  #closed: Error | undefined

  constructor(options: PeerOptions) {
    this.#options = options
  }

  async request(
    method: string,
    params: unknown,
    { signal, deadlineMs, onLate }: RequestOptions = {},
  ): Promise<unknown> {
    signal?.throwIfAborted()
    const id = this.nextId()
    let cancel: (error: Error) => void = () => {}
    const onAbort = () =>
      cancel(
        signal?.reason instanceof Error ? signal.reason : new RpcFailure(rpcErrorCodes.failed, 'cancelled'),
      )
    const onDeadline = () => {
      cancel(new RpcFailure(rpcErrorCodes.failed, `${method}: no answer within ${deadlineMs} ms`))
      onLate?.()
    }
    const timer = deadlineMs === undefined ? undefined : setTimeout(onDeadline, deadlineMs)
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      return await new Promise<unknown>((resolve, reject) => {
        this.#pending.set(id, { resolve, reject })
        cancel = (error) => {
          if (!this.#pending.delete(id)) return
          this.tell('$/cancelRequest', { id })
          reject(error)
        }
        this.#write(requestLine(id, method, params)).catch((error: Error) => {
          if (this.#pending.delete(id)) reject(error)
        })
      })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  /**
   * Sends a notice. Resolves when the line has been handed over, so that a sender of many notices can wait.
   */
  tell(method: string, params: unknown): Promise<boolean> {
    return this.#write(noticeLine(method, params)).then(
      () => true,
      () => false,
    )
  }

  /** Takes one line. Answers to requests that are no longer pending are dropped. */
  receive(line: string): void {
    if (line.trim() === '') return
    const message = parseLine(line)
    if (message === undefined) this.#options.reject(line)
    else if (message.kind === 'request') void this.#answer(message.id, message.method, message.params)
    else if (message.kind === 'answer') this.#settle(message)
    else if (message.method === '$/cancelRequest') this.#cancelServing(message.params)
    else this.#options.hear(message.method, message.params)
  }

  /** Fails the request that a line too long to be read belongs to. `head` is the beginning of the line. */
  refuse(head: string): void {
    const id = Number(/"id"\s*:\s*(-?\d+)/.exec(head)?.[1])
    const problem = {
      code: rpcErrorCodes.failed,
      message: `message too long: a line must be below ${maxLineBytes} bytes`,
    }
    if (!Number.isSafeInteger(id)) return
    if (/"method"\s*:/.test(head)) void this.#write(errorLine(id, problem)).catch(() => {})
    else this.#settle({ kind: 'answer', id, result: undefined, error: problem })
  }

  /** Sends nothing from now on, rejects pending requests, and aborts those being answered. */
  close(error: Error): void {
    if (this.#closed) return
    this.#closed = error
    for (const request of this.#pending.values()) request.reject(error)
    this.#pending.clear()
    for (const controller of this.#serving.values()) controller.abort(error)
  }

  /** An id that no request has. */
  nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }

  /** How many requests wait for their answer. */
  waiting(): number {
    return this.#pending.size
  }

  /** How many requests of the other side are being answered. */
  serving(): number {
    return this.#serving.size
  }

  async #answer(id: number, method: string, params: unknown): Promise<void> {
    const controller = new AbortController()
    this.#serving.set(id, controller)
    try {
      const result = await this.#options.serve(method, params, controller.signal)
      await this.#write(resultLine(id, result))
    } catch (error) {
      // An answer that cannot be written becomes an error; an error that cannot be written is dropped.
      await this.#write(errorLine(id, asRpcError(error))).catch(() => {})
    } finally {
      this.#serving.delete(id)
    }
  }

  #settle({ id, result, error }: Extract<Incoming, { kind: 'answer' }>): void {
    const request = this.#pending.get(id)
    if (request === undefined) return
    this.#pending.delete(id)
    if (error) request.reject(new RpcFailure(error.code, error.message))
    else request.resolve(result)
  }

  #cancelServing(params: unknown): void {
    const { id } = (params ?? {}) as { id?: unknown }
    if (typeof id === 'number')
      this.#serving.get(id)?.abort(new RpcFailure(rpcErrorCodes.failed, 'cancelled'))
  }

  async #write(line: string): Promise<void> {
    if (this.#closed) throw this.#closed
    // A string has at most three bytes for each unit of its length, so bytes are counted only when they may
    // matter.
    if (line.length * 3 > maxLineBytes && Buffer.byteLength(line) >= maxLineBytes)
      throw new RpcFailure(
        rpcErrorCodes.failed,
        `message of ${Buffer.byteLength(line)} bytes: a line must be below ${maxLineBytes}`,
      )
    await this.#options.send(line)
  }
}
