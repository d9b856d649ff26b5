// An extension that talks to a host: it says what it offers, answers, and ends when the host does.

import { safeParse } from 'valibot'
import { codes, createPeer, RpcFailure } from '../../protocol/extension/peer.ts'
import { methods, type Params, type Registration, type SentParams } from '../../protocol/extension/table.ts'
import { messageOf } from '../../std/errors.ts'
import { type Asked, answers } from './answers.ts'
import { parseParams } from './args.ts'
import type { Context } from './definition.ts'
import { createHost, createSubscriptions, type HostLink } from './host.ts'
import { inOrder, type Offers, type Ranked } from './offers.ts'

export interface Place {
  cwd: string
  configDir: string
}

export interface ConnectionOptions {
  /** Who it is, when it is asked. */
  info: { name: string; version?: string }
  offers: Offers
  /** Writes a whole line. */
  send(line: string): void | Promise<void>
  /** The extension knows where it is, and may still offer something. */
  onPlace(place: Place): void
  /** From now on it may not. */
  onAnnounced(): void
  /** The host wants it to end. */
  onShutdown(): void
}

export interface Connection {
  link: HostLink
  receive(line: string): void
  /** A line that was too long: its beginning. */
  refuse(head: string): void
  /** Everything under way hears of the end, and has a moment for it. */
  end(): Promise<void>
}

const graceMs = 150

export function connectExtension({
  info,
  offers,
  send,
  onPlace,
  onAnnounced,
  onShutdown,
}: ConnectionOptions): Connection {
  const underWay = new Map<AbortController, Promise<unknown>>()
  let place: Place = { cwd: '', configDir: '' }

  const peer = createPeer({
    send,
    async serve(method, params, signal) {
      const controller = new AbortController()
      signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true })
      const answer = serve(method, params, controller.signal)
      underWay.set(controller, answer)
      try {
        return await answer
      } finally {
        underWay.delete(controller)
      }
    },
    hear(method, params) {
      if (method === 'shutdown') onShutdown()
      if (method !== 'eventBus/event') return
      const event = safeParse(methods[method].params, params)
      if (event.success) link.subscriptions.hear(event.output.topic, event.output.data)
    },
    reject: (line) =>
      void peer.tell('log', { level: 'debug', message: `not a message: ${line.slice(0, 200)}` }),
  })
  const link: HostLink = {
    request: peer.request,
    tell: peer.tell,
    subscriptions: createSubscriptions((message) => void peer.tell('log', { level: 'error', message })),
  }

  async function serve(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    if (method === 'shutdown') return shutDown()
    if (method === 'initialize') return initialize(params, signal)
    if (!Object.hasOwn(answers, method))
      throw new RpcFailure(codes.unknownMethod, `method not found: ${method}`)
    const answer = answers[method as Asked] as (
      offers: Offers,
      params: unknown,
      context: Context,
    ) => Promise<unknown>
    return await answer(offers, parse(method as Asked, params), contextOf(signal))
  }

  async function initialize(params: unknown, signal: AbortSignal): Promise<unknown> {
    const { cwd, configDir } = parse('initialize', params) as Params<'initialize'>
    place = { cwd, configDir: configDir ?? '' }
    onPlace(place)
    for (const prepare of offers.onInit) await prepare(contextOf(signal))
    onAnnounced()
    for (const [method, said] of announcements(offers)) {
      if (!(await peer.tell(method, said)))
        throw new RpcFailure(codes.failed, `${method}: too long to be said`)
    }
    return { name: info.name, version: info.version ?? '0.0.0' }
  }

  // The answer goes first.
  function shutDown(): null {
    setImmediate(onShutdown)
    return null
  }

  function contextOf(signal: AbortSignal): Context {
    let host: Context['host'] | undefined
    return {
      signal,
      ...place,
      get host() {
        host ??= createHost(() => link, signal)
        return host
      },
    }
  }

  async function end(): Promise<void> {
    for (const controller of underWay.keys())
      controller.abort(new RpcFailure(codes.failed, `${info.name} ends`))
    const unbound = { ...place, signal: new AbortController().signal, host: createHost(() => link) }
    const last = offers.onShutdown.map(async (close) => close(unbound))
    for (const closing of last)
      closing.catch(
        (error) => void peer.tell('log', { level: 'error', message: `onShutdown: ${messageOf(error)}` }),
      )
    let timer: ReturnType<typeof setTimeout> | undefined
    const grace = new Promise((resolve) => {
      timer = setTimeout(resolve, graceMs)
    })
    await Promise.race([Promise.allSettled([...underWay.values(), ...last]), grace])
    clearTimeout(timer)
    peer.close(new RpcFailure(codes.failed, 'the host is gone'))
  }

  return { link, receive: peer.receive, refuse: peer.refuse, end }
}

/** Null stands for params in which everything is left out. */
function parse(method: Asked | 'initialize', params: unknown): unknown {
  return parseParams(methods[method].params, params === null ? {} : params, 'invalid params')
}

// What is said of the offers before the answer to `initialize`, in the order in which the protocol has them.

export type Announcement = { [R in Registration]: [method: R, params: SentParams<R>] }[Registration]

const emptySchema = { type: 'object', properties: {} }

/** Several handlers of one kind are announced as one: the host asks an extension once, and all of them are asked here. */
export function announcements(offers: Offers): Announcement[] {
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
        { name, description, ...(immediate ? { immediate } : {}) },
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
