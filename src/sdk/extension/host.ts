// The host, as authors of extensions call it. Every request of the protocol is a function here, by its own name: `host/config.get` is
// `configGet`.

import { safeParse } from 'valibot'
import type {
  ActionResult,
  AssistantMessage,
  ToolResultMessage,
  UserMessage,
} from '../../protocol/extension/content.ts'
import { codes, RpcFailure } from '../../protocol/extension/peer.ts'
import {
  type HostNotice,
  type HostRequest,
  methods,
  type Result,
  type SentParams,
} from '../../protocol/extension/table.ts'
import { messageOf } from '../../std/errors.ts'
import { parseParams } from './args.ts'

export interface HostCallOptions {
  /** Aborted: the host is told that nobody waits. */
  signal?: AbortSignal
  /** How long to wait. Without it as long as the host takes, which has deadlines of its own. */
  timeoutMs?: number
}

type ClientName<M extends string> = M extends `host/${infer Group}.${infer Name}`
  ? `${Group}${Capitalize<Name>}`
  : M extends `host/${infer Name}`
    ? Name
    : never

type Given<M extends HostRequest> = M extends keyof Gives
  ? Result<M>[Gives[M] & keyof Result<M>]
  : string extends keyof Result<M>
    ? { [Field in keyof Result<M> as string extends Field ? never : Field]: Result<M>[Field] }
    : Result<M>

type Call<M extends HostRequest> = M extends keyof Takes
  ? (value: SentParams<M>[Takes[M] & keyof SentParams<M>], options?: HostCallOptions) => Promise<Given<M>>
  : undefined extends SentParams<M>
    ? (options?: HostCallOptions) => Promise<Given<M>>
    : (params: SentParams<M>, options?: HostCallOptions) => Promise<Given<M>>

/** Whether it could be said: what is longer than a line may be cannot. */
type Said = Promise<boolean>

type Notice<N extends keyof Takes & HostNotice> = (
  value: NonNullable<SentParams<N>[Takes[N] & keyof SentParams<N>]>,
) => Said

type Derived = {
  [M in Exclude<HostRequest, 'host/subscribe' | 'host/showPicker'> as ClientName<M>]: Call<M>
} & {
  [N in keyof Takes & HostNotice]: Notice<N>
}

export interface Host extends Derived {
  /** The id of what was chosen, or null when the user would not choose. */
  showPicker(params: SentParams<'host/showPicker'>, options?: HostCallOptions): Promise<string | null>
  /** Hears of a topic until the function that it gives is called. */
  subscribe(topic: string, listener: (data: unknown, topic: string) => unknown): Promise<() => void>
  /** The conversation from a message on. */
  messagesFrom(index: number, options?: HostCallOptions): Promise<Message[]>
  notify(message: string, level?: NoticeLevel): Said
  log(level: 'debug' | NoticeLevel, message: string): Said
  /** Without content it goes. */
  setWidget(widget: { key: string; placement: 'above-input' | 'below-status'; content: string }): Said
  showOverlay(overlay: {
    key: string
    content: string
    title?: string
    anchor?: string
    width?: string
  }): Said
  /** Any request by the name it has in the protocol. */
  request<M extends HostRequest>(
    method: M,
    params: SentParams<M>,
    options?: HostCallOptions,
  ): Promise<Result<M>>
  /** Any notice by the name it has in the protocol. */
  tell<N extends HostNotice>(method: N, params: SentParams<N>): Said
}

// How calls of the host look to authors: what takes one value takes that value, what gives one value gives that value.

/** The one field of the parameters. All others take an object, or nothing. */
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

/** The one field of the result. All others give an object; what says nothing gives nothing. */
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
} as const satisfies { [M in HostRequest]?: keyof Result<M> }

export type Takes = typeof takes
export type Gives = typeof gives

// Makes the functions of the host out of the table of the protocol.

/** The way to the host. */
export interface HostLink {
  request(
    method: string,
    params: unknown,
    options: { signal?: AbortSignal | undefined; deadlineMs?: number | undefined },
  ): Promise<unknown>
  tell(method: string, params: unknown): Promise<boolean>
  subscriptions: Subscriptions
}

const requestNames = Object.entries(methods).flatMap(([name, method]) =>
  name.startsWith('host/') && 'result' in method ? [name as HostRequest] : [],
)
const noticeNames = Object.keys(takes).filter((name) => !name.startsWith('host/')) as HostNotice[]

/** `config.get` is `configGet`. */
export function clientName(method: string): string {
  return method.replace('host/', '').replace(/\.(\w)/g, (_dot, letter: string) => letter.toUpperCase())
}

/** `bound`: every call is taken back when it is aborted. */
export function createHost(link: () => HostLink, bound?: AbortSignal): Host {
  const request = async (
    method: HostRequest,
    params: unknown,
    { signal, timeoutMs }: HostCallOptions = {},
  ): Promise<unknown> => {
    const { params: schema, result } = methods[method]
    // A question that cannot be answered is not asked.
    parseParams(schema, params, method)
    const both = bound && signal ? AbortSignal.any([bound, signal]) : (bound ?? signal)
    const answer = await link()
      .request(method, params, { signal: both, deadlineMs: timeoutMs })
      .catch((error) => Promise.reject(named(method, error)))
    const parsed = safeParse(result, answer)
    if (parsed.success) return parsed.output
    throw new RpcFailure(
      codes.failed,
      `${method}: the host answered with something else: ${parsed.issues[0].message}`,
    )
  }
  const tell = (method: HostNotice, params: unknown) => link().tell(method, params)
  const named = (method: string, error: unknown) =>
    error instanceof RpcFailure && !error.message.startsWith(method)
      ? new RpcFailure(error.code, `${method}: ${error.message}`)
      : error

  const call = (method: HostRequest) => {
    const pick = (result: unknown) =>
      method in gives ? (result as Record<string, unknown>)[gives[method as keyof typeof gives]] : result
    if (method in takes) {
      const field = takes[method as keyof typeof takes]
      return async (value: unknown, options?: HostCallOptions) =>
        pick(await request(method, { [field]: value }, options))
    }
    if (safeParse(methods[method].params, undefined).success)
      return async (options?: HostCallOptions) => pick(await request(method, {}, options))
    return async (params: unknown, options?: HostCallOptions) => pick(await request(method, params, options))
  }
  const derived = Object.fromEntries([
    ...requestNames.map((method) => [clientName(method), call(method)]),
    ...noticeNames.map((method) => [
      method,
      (value: unknown) => tell(method, { [takes[method as keyof typeof takes]]: value }),
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

// Messages of a conversation. What kind one is of can be seen from its fields; hosts write no more than those.

export type Message = UserMessage | AssistantMessage | ToolResultMessage

export function isToolResult(message: Message): message is ToolResultMessage {
  return 'toolCallId' in message && typeof message.toolCallId === 'string'
}

export function isAssistant(message: Message): message is AssistantMessage {
  return !isToolResult(message) && Array.isArray(message.content)
}

export function isUser(message: Message): message is UserMessage {
  return !isToolResult(message) && !isAssistant(message)
}

/** Everything it says in words. */
export function textOf(message: Message): string {
  const parts = isUser(message) ? [{ text: message.content }, ...message.blocks] : message.content
  return parts
    .flatMap((part) =>
      'text' in part && typeof part.text === 'string' && part.text !== '' ? [part.text] : [],
    )
    .join('\n')
}

// What the answer to an event or a key may ask of the host.

export type NoticeLevel = 'info' | 'warn' | 'error'

export const actions = {
  notify: (message: string, level: NoticeLevel = 'info') => action('notify', { message, level }),
  showMessage: (text: string) => action('showMessage', { text }),
  setSessionTitle: (title: string) => action('setSessionTitle', { title }),
  setStatus: (key: string, text: string) => action('setStatus', { key, text }),
  /** `data` in base64. */
  attachImage: (data: string, mimeType: string) => action('attachImage', { data, mimeType }),
  detachImage: () => action('detachImage'),
  sendMessage: (content: string) => action('sendMessage', { content }),
  quit: () => action('quit'),
}

function action(type: string, payload?: Record<string, string>): ActionResult {
  return payload === undefined ? { type } : { type, payload }
}

// Who listens to which topic. The host is asked once for each: there is no way to take a subscription back but to stop listening.

type Listener = (data: unknown, topic: string) => unknown

export type Subscriptions = ReturnType<typeof createSubscriptions>

export function createSubscriptions(onError: (message: string) => void) {
  const topics = new Map<string, { listeners: Set<Listener>; asked?: Promise<unknown> }>()
  return {
    /** Listens before the host is asked, because the first event may come in one piece with its answer. */
    async add(topic: string, listener: Listener, ask: () => Promise<unknown>): Promise<() => void> {
      const entry = topics.get(topic) ?? { listeners: new Set() }
      topics.set(topic, entry)
      entry.listeners.add(listener)
      try {
        entry.asked ??= ask()
        await entry.asked
      } catch (error) {
        topics.delete(topic)
        throw error
      }
      return () => void entry.listeners.delete(listener)
    },
    /** One listener that fails does not keep the others from hearing. */
    hear(topic: string, data: unknown): void {
      for (const listener of topics.get(topic)?.listeners ?? []) {
        Promise.resolve()
          .then(() => listener(data, topic))
          .catch((error) => onError(`listener of ${topic}: ${messageOf(error)}`))
      }
    },
  }
}
