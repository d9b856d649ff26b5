// Connects an extension to its host: registers what it offers, answers requests, and ends in good order.

import { safeParse } from 'valibot'
import { Peer } from '../../protocol/extension/peer.ts'
import { RpcFailure, rpcErrorCodes } from '../../protocol/extension/rpc.ts'
import { methods, type Params, type Registration, type SentParams } from '../../protocol/extension/table.ts'
import { messageOf } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import { requestAnswers, type ServedRequest } from './answers.ts'
import { parseOrRefuse } from './args.ts'
import type { Context } from './definition.ts'
import { createHost, type HostLink, Subscriptions } from './host.ts'
import { inOrder, type Offers, type Ranked } from './offers.ts'

/** Where the extension works, as `initialize` says. */
export interface ExtensionPlace {
  cwd: string
  configDir: string
}

export interface ConnectionOptions {
  /** The answer to `initialize`. */
  info: { name: string; version?: string }
  offers: Offers
  /** Writes a whole line. */
  send(line: string): void | Promise<void>
  /** Called when the place is known. The extension may still add offers. */
  onPlace(place: ExtensionPlace): void
  /** Called when no more offers can be added. */
  onAnnounced(): void
  /** Called when the host wants the extension to end. */
  onShutdown(): void
}

export interface Connection {
  link: HostLink
  receive(line: string): void
  /** Refuses a line that was too long, given its beginning. */
  refuse(head: string): void
  /** Aborts everything under way, and gives it a moment to finish. */
  end(): Promise<void>
}

const graceMs = 150

export function connectExtension(options: ConnectionOptions): Connection {
  const connection = new ExtensionConnection(options)
  const { link, peer } = connection
  return {
    link,
    receive: (line) => peer.receive(line),
    refuse: (head) => peer.refuse(head),
    end: () => connection.end(),
  }
}

class ExtensionConnection {
  readonly peer: Peer
  readonly link: HostLink
  readonly #options: ConnectionOptions
  readonly #underWay = new Map<AbortController, Promise<unknown>>()
  #place: ExtensionPlace = { cwd: '', configDir: '' }

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.peer = new Peer({
      send: options.send,
      serve: (method, params, signal) => this.#serveAbortably(method, params, signal),
      hear: (method, params) => this.#hear(method, params),
      reject: (line) => this.#log('debug', `not a message: ${line.slice(0, 200)}`),
    })
    this.link = {
      request: (method, params, requestOptions) => this.peer.request(method, params, requestOptions),
      tell: (method, params) => this.peer.tell(method, params),
      subscriptions: new Subscriptions((message) => this.#log('error', message)),
    }
  }

  async end(): Promise<void> {
    const { info, offers } = this.#options
    for (const controller of this.#underWay.keys())
      controller.abort(new RpcFailure(rpcErrorCodes.failed, `${info.name} is ending`))
    const context = {
      ...this.#place,
      signal: new AbortController().signal,
      host: createHost(() => this.link),
    }
    const closing = offers.onShutdown.map(async (close) => close(context))
    for (const closed of closing)
      closed.catch((error) => this.#log('error', `onShutdown: ${messageOf(error)}`))
    let timer: ReturnType<typeof setTimeout> | undefined
    const grace = new Promise((resolve) => {
      timer = setTimeout(resolve, graceMs)
    })
    await Promise.race([Promise.allSettled([...this.#underWay.values(), ...closing]), grace])
    clearTimeout(timer)
    this.peer.close(new RpcFailure(rpcErrorCodes.failed, 'the host is gone'))
  }

  /** Serves a request that the host may cancel, and that the end of the extension aborts. */
  async #serveAbortably(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const controller = new AbortController()
    signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true })
    const answer = this.#serve(method, params, controller.signal)
    this.#underWay.set(controller, answer)
    try {
      return await answer
    } finally {
      this.#underWay.delete(controller)
    }
  }

  async #serve(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    if (method === 'shutdown') return this.#shutDown()
    if (method === 'initialize') return this.#initialize(params, signal)
    if (!Object.hasOwn(requestAnswers, method))
      throw new RpcFailure(rpcErrorCodes.unknownMethod, `method not found: ${method}`)
    const answer = requestAnswers[method as ServedRequest] as (
      offers: Offers,
      params: unknown,
      context: Context,
    ) => Promise<unknown>
    const parsed = parseRequest(method as ServedRequest, params)
    return await answer(this.#options.offers, parsed, this.#contextOf(signal))
  }

  async #initialize(params: unknown, signal: AbortSignal): Promise<unknown> {
    const { info, offers, onPlace, onAnnounced } = this.#options
    const { cwd, configDir } = parseRequest('initialize', params) as Params<'initialize'>
    this.#place = { cwd, configDir: configDir ?? '' }
    onPlace(this.#place)
    for (const prepare of offers.onInit) await prepare(this.#contextOf(signal))
    onAnnounced()
    for (const [method, registration] of announcements(offers)) {
      if (!(await this.peer.tell(method, registration)))
        throw new RpcFailure(rpcErrorCodes.failed, `${method}: the message is too long`)
    }
    return { name: info.name, version: info.version ?? '0.0.0' }
  }

  #shutDown(): null {
    // After the answer has been sent.
    setImmediate(this.#options.onShutdown)
    return null
  }

  #hear(method: string, params: unknown): void {
    if (method === 'shutdown') this.#options.onShutdown()
    if (method !== 'eventBus/event') return
    const event = safeParse(methods[method].params, params)
    if (event.success) this.link.subscriptions.hear(event.output.topic, event.output.data)
  }

  #contextOf(signal: AbortSignal): Context {
    const link = () => this.link
    let host: Context['host'] | undefined
    return {
      signal,
      ...this.#place,
      get host() {
        host ??= createHost(link, signal)
        return host
      },
    }
  }

  #log(level: 'debug' | 'error', message: string): void {
    void this.peer.tell('log', { level, message })
  }
}

/** Null stands for parameters that are all left out. */
function parseRequest(method: ServedRequest | 'initialize', params: unknown): unknown {
  return parseOrRefuse(methods[method].params, params === null ? {} : params, 'invalid params')
}

export type Announcement = { [R in Registration]: [method: R, params: SentParams<R>] }[Registration]

const emptySchema = { type: 'object', properties: {} }

/**
 * Several handlers of one kind are announced as one: the host asks the extension once, and the extension asks
 * all of them.
 */
function announcements(offers: Offers): Announcement[] {
  const {
    tools,
    commands,
    promptSections,
    interceptors,
    listeners,
    shortcuts,
    messageHooks,
    inputTransformers,
    compactor,
    providers,
  } = offers
  return [
    ...[...tools].map(
      ([name, { execute: _execute, parameters = emptySchema, ...tool }]): Announcement => [
        'register/tool',
        { name, parameters, ...tool },
      ],
    ),
    ...[...commands].map(
      ([name, { description, immediate }]): Announcement => [
        'register/command',
        { name, description, ...given({ immediate: immediate || undefined }) },
      ],
    ),
    ...[...promptSections].map(
      ([title, section]): Announcement => ['register/promptSection', { title, ...section }],
    ),
    ...[...interceptors].map(([name, { priority = 0, before, after }]): Announcement => {
      const hooks = [...(before ? ['before'] : []), ...(after ? ['after'] : [])]
      return ['register/interceptor', { name, priority, hooks }]
    }),
    ...together(listeners).map(
      (ranked): Announcement => ['register/eventHandler', { ...ranked, events: eventsOf(listeners) }],
    ),
    ...[...shortcuts].map(
      ([key, { description }]): Announcement => ['register/shortcut', { key, description }],
    ),
    ...together(messageHooks).map((ranked): Announcement => ['register/messageHook', ranked]),
    ...together(inputTransformers).map((ranked): Announcement => ['register/inputTransformer', ranked]),
    ...(compactor ? [compactor] : []).map(
      ({ name = 'compactor', threshold = 0 }): Announcement => ['register/compactor', { name, threshold }],
    ),
    ...[...providers.keys()].map((api): Announcement => ['register/provider', { api }]),
  ]
}

function together(entries: Ranked[]): Ranked[] {
  const [first, ...rest] = inOrder(entries)
  return first ? [{ name: [first, ...rest].map(({ name }) => name).join('+'), priority: first.priority }] : []
}

function eventsOf(listeners: Offers['listeners']): string[] {
  if (listeners.some(({ events }) => events.length === 0)) return []
  return [...new Set(listeners.flatMap(({ events }) => events))]
}
