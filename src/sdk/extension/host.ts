// Gives authors of extensions a function for every request of the protocol: `host/config.get` is `configGet`.

import { safeParse } from 'valibot'
import { RpcFailure, rpcErrorCodes } from '../../protocol/extension/rpc.ts'
import {
  type HostNotice,
  type HostRequest,
  type MethodResult,
  methods,
  type SentParams,
} from '../../protocol/extension/table.ts'
import { messageOf } from '../../std/errors.ts'
import type { NoticeLevel } from './actions.ts'
import { parseOrRefuse } from './args.ts'
import type { Message } from './messages.ts'

export interface HostCallOptions {
  /** Aborting it cancels the request at the host. */
  signal?: AbortSignal
  /** How long to wait. Without it, as long as the host takes, which has deadlines of its own. */
  timeoutMs?: number
}

type ClientName<M extends string> = M extends `host/${infer Group}.${infer Name}`
  ? `${Group}${Capitalize<Name>}`
  : M extends `host/${infer Name}`
    ? Name
    : never

type Answered<M extends HostRequest> = M extends keyof Gives
  ? MethodResult<M>[Gives[M] & keyof MethodResult<M>]
  : string extends keyof MethodResult<M>
    ? { [Field in keyof MethodResult<M> as string extends Field ? never : Field]: MethodResult<M>[Field] }
    : MethodResult<M>

type RequestFunction<M extends HostRequest> = M extends keyof Takes
  ? (value: SentParams<M>[Takes[M] & keyof SentParams<M>], options?: HostCallOptions) => Promise<Answered<M>>
  : undefined extends SentParams<M>
    ? (options?: HostCallOptions) => Promise<Answered<M>>
    : (params: SentParams<M>, options?: HostCallOptions) => Promise<Answered<M>>

/** Whether the notice was sent: one that is longer than a line may be is not. */
type Sent = Promise<boolean>

type NoticeFunction<N extends keyof Takes & HostNotice> = (
  value: NonNullable<SentParams<N>[Takes[N] & keyof SentParams<N>]>,
) => Sent

type Derived = {
  [M in Exclude<HostRequest, 'host/subscribe' | 'host/showPicker'> as ClientName<M>]: RequestFunction<M>
} & {
  [N in keyof Takes & HostNotice]: NoticeFunction<N>
}

export interface Host extends Derived {
  /** The id of the chosen item, or null when the user cancelled. */
  showPicker(params: SentParams<'host/showPicker'>, options?: HostCallOptions): Promise<string | null>
  /** Listens to a topic until the returned function is called. */
  subscribe(topic: string, listener: (data: unknown, topic: string) => unknown): Promise<() => void>
  /** The messages of the conversation from this index on. */
  messagesFrom(index: number, options?: HostCallOptions): Promise<Message[]>
  notify(message: string, level?: NoticeLevel): Sent
  log(level: 'debug' | NoticeLevel, message: string): Sent
  /** Empty content removes the widget. */
  setWidget(widget: { key: string; placement: 'above-input' | 'below-status'; content: string }): Sent
  showOverlay(overlay: {
    key: string
    content: string
    title?: string
    anchor?: string
    width?: string
  }): Sent
  /** Sends any request by its name in the protocol. */
  request<M extends HostRequest>(
    method: M,
    params: SentParams<M>,
    options?: HostCallOptions,
  ): Promise<MethodResult<M>>
  /** Sends any notice by its name in the protocol. */
  tell<N extends HostNotice>(method: N, params: SentParams<N>): Sent
}

/** Calls that take one value: the field that it is sent in. All others take an object, or nothing. */
export const takes = {
  'host/listTools': 'filter',
  'host/activateTool': 'name',
  'host/setToolFilter': 'names',
  'host/config.get': 'keys',
  'host/config.readExtension': 'name',
  'host/auth.getKey': 'provider',
  'host/writeModels': 'overrides',
  'host/runBackground': 'prompt',
  'host/undoRestore': 'path',
  'host/setConversationMessages': 'messages',
  'host/loadSession': 'path',
  'host/setSessionTitle': 'title',
  'host/branchSession': 'entryId',
  'host/subscribe': 'topic',
  showMessage: 'text',
  closeOverlay: 'key',
  setInputText: 'text',
  sendMessage: 'content',
  steer: 'content',
  abortWithMarker: 'reason',
} as const satisfies { [M in HostRequest | HostNotice]?: keyof SentParams<M> }

/**
 * Requests that return one value: the field of the result that holds it. All others return an object, or
 * nothing.
 */
export const gives = {
  'host/listTools': 'tools',
  'host/toolDefs': 'tools',
  'host/commands': 'commands',
  'host/shortcuts': 'shortcuts',
  'host/promptSections': 'sections',
  'host/config.get': 'values',
  'host/config.readExtension': 'content',
  'host/auth.getKey': 'key',
  'host/availableModels': 'models',
  'host/syncModels': 'updated',
  'host/writeModels': 'modelsWritten',
  'host/isBackgroundRunning': 'running',
  'host/extInfos': 'extensions',
  'host/extensionsDir': 'path',
  'host/undoSnapshots': 'snapshots',
  'host/toggleStepMode': 'on',
  'host/hasCompactor': 'present',
  'host/conversationMessages': 'messages',
  'host/lastAssistantText': 'text',
  'host/sessions': 'sessions',
  'host/sessionTitle': 'title',
  'host/sessionEntryInfos': 'entries',
  'host/sessionFullTree': 'nodes',
  'host/showPicker': 'selected',
  'host/subscribe': 'subscriptionId',
} as const satisfies { [M in HostRequest]?: keyof MethodResult<M> }

export type Takes = typeof takes
export type Gives = typeof gives

/** The connection to the host. */
export interface HostLink {
  request(
    method: string,
    params: unknown,
    options: { signal?: AbortSignal | undefined; deadlineMs?: number | undefined },
  ): Promise<unknown>
  tell(method: string, params: unknown): Promise<boolean>
  subscriptions: Pick<Subscriptions, 'add' | 'hear'>
}

const requestNames = Object.entries(methods).flatMap(([name, method]) =>
  name.startsWith('host/') && 'result' in method ? [name as HostRequest] : [],
)
const noticeNames = Object.keys(takes).filter((name) => !name.startsWith('host/')) as HostNotice[]

type Request = (method: HostRequest, params: unknown, options?: HostCallOptions) => Promise<unknown>

/** `bound` cancels every request when it is aborted. */
export function createHost(link: () => HostLink, bound?: AbortSignal): Host {
  const request: Request = (method, params, { signal, timeoutMs } = {}) =>
    sendRequest(link, method, params, { signals: [bound, signal], timeoutMs })
  const tell = (method: HostNotice, params: unknown) => link().tell(method, params)
  const derived = Object.fromEntries([
    ...requestNames.map((method) => [clientName(method), requestFunction(request, method)]),
    ...noticeNames.map((method) => [
      method,
      (value: unknown) => tell(method, { [takes[method as keyof Takes]]: value }),
    ]),
  ])
  return {
    ...derived,
    showPicker: async (params, options) => ((await derived.showPicker(params, options)) as string) || null,
    subscribe: (topic, listener) =>
      link().subscriptions.add(topic, listener, () => derived.subscribe(topic) as Promise<number>),
    messagesFrom: async (index, options) =>
      ((await derived.conversationMessages(options)) as Message[]).slice(Math.max(0, index)),
    notify: (message, level = 'info') => tell('notify', { message, level }),
    log: (level, message) => tell('log', { level, message }),
    setWidget: (widget) => tell('setWidget', widget),
    showOverlay: (overlay) => tell('showOverlay', overlay),
    request,
    tell,
  } as Host
}

/** `config.get` is `configGet`. */
export function clientName(method: string): string {
  return method.replace('host/', '').replace(/\.(\w)/g, (_dot, letter: string) => letter.toUpperCase())
}

/** The function of one request: takes and returns one value where the tables say so. */
function requestFunction(request: Request, method: HostRequest) {
  const pick = (result: unknown) =>
    method in gives ? (result as Record<string, unknown>)[gives[method as keyof Gives]] : result
  if (method in takes) {
    const field = takes[method as keyof Takes]
    return async (value: unknown, options?: HostCallOptions) =>
      pick(await request(method, { [field]: value }, options))
  }
  if (safeParse(methods[method].params, undefined).success)
    return async (options?: HostCallOptions) => pick(await request(method, {}, options))
  return async (params: unknown, options?: HostCallOptions) => pick(await request(method, params, options))
}

interface SendOptions {
  signals: (AbortSignal | undefined)[]
  timeoutMs: number | undefined
}

async function sendRequest(
  link: () => HostLink,
  method: HostRequest,
  params: unknown,
  { signals, timeoutMs }: SendOptions,
): Promise<unknown> {
  const { params: schema, result } = methods[method]
  // Before it is sent: the host could not answer it.
  parseOrRefuse(schema, params, method)
  const present = signals.filter((signal) => signal !== undefined)
  const signal = present.length > 1 ? AbortSignal.any(present) : present[0]
  const answer = await link()
    .request(method, params, { signal, deadlineMs: timeoutMs })
    .catch((error) => Promise.reject(named(method, error)))
  const parsed = safeParse(result, answer)
  if (parsed.success) return parsed.output
  throw new RpcFailure(
    rpcErrorCodes.failed,
    `${method}: the host gave an invalid answer: ${parsed.issues[0].message}`,
  )
}

function named(method: string, error: unknown): unknown {
  return error instanceof RpcFailure && !error.message.startsWith(method)
    ? new RpcFailure(error.code, `${method}: ${error.message}`)
    : error
}

type Listener = (data: unknown, topic: string) => unknown

interface Topic {
  listeners: Set<Listener>
  subscribed?: Promise<unknown>
}

export class Subscriptions {
  readonly #topics = new Map<string, Topic>()
  readonly #onError: (message: string) => void

  constructor(onError: (message: string) => void) {
    this.#onError = onError
  }

  /** Returns a function that removes the listener. */
  async add(topic: string, listener: Listener, subscribe: () => Promise<unknown>): Promise<() => void> {
    const entry: Topic = this.#topics.get(topic) ?? { listeners: new Set() }
    this.#topics.set(topic, entry)
    // Before the host is asked, because the first event may arrive together with its answer.
    entry.listeners.add(listener)
    try {
      entry.subscribed ??= subscribe()
      await entry.subscribed
    } catch (error) {
      this.#topics.delete(topic)
      throw error
    }
    return () => void entry.listeners.delete(listener)
  }

  /** Calls every listener of the topic, also after one of them has failed. */
  hear(topic: string, data: unknown): void {
    for (const listener of this.#topics.get(topic)?.listeners ?? []) {
      Promise.resolve()
        .then(() => listener(data, topic))
        .catch((error) => this.#onError(`listener of ${topic}: ${messageOf(error)}`))
    }
  }
}
