// An extension that is put together step by step. Everything it offers is said before `run`, or in `onInit`.

import type { EventName } from '../../protocol/extension/events.ts'
import type { ArgsSchema } from './args.ts'
import { type Connection, connectExtension, type Place } from './connection.ts'
import type {
  CommandDefinition,
  Compactor,
  Context,
  EventHandler,
  ExtensionDefinition,
  InputTransformer,
  Interceptor,
  MessageHook,
  PromptSection,
  Provider,
  ShortcutDefinition,
  ToolDefinition,
} from './definition.ts'
import { createHost, type Host } from './host.ts'
import { noOffers } from './offers.ts'
import { runProgram } from './program.ts'

/** Lower ones come first. */
export interface RankOptions {
  name?: string
  priority?: number
}

export interface Extension {
  tool<const Schema extends ArgsSchema>(name: string, definition: ToolDefinition<Schema>): Extension
  /** Without its slash. */
  command(name: string, definition: CommandDefinition): Extension
  promptSection(title: string, section: PromptSection): Extension
  interceptor(name: string, interceptor: Interceptor): Extension
  onEvent<Name extends EventName>(
    events: Name | readonly Name[] | 'all',
    handler: EventHandler<Name>,
    options?: RankOptions,
  ): Extension
  /** `ctrl+`, `alt+`, `shift+` in this order, and a letter. */
  shortcut(key: string, definition: ShortcutDefinition): Extension
  messageHook(handler: MessageHook, options?: RankOptions): Extension
  inputTransformer(handler: InputTransformer, options?: RankOptions): Extension
  compactor(compactor: Compactor): Extension
  provider(api: string, provider: Provider): Extension
  onInit(prepare: (context: Context) => unknown): Extension
  onShutdown(close: (context: Context) => unknown): Extension
  /** For what is not an answer to anything: timers, other programs. */
  readonly host: Host
  /** The project; empty before the host has said it. */
  readonly cwd: string
  readonly configDir: string
  /** Talks over lines that the caller carries: for tests. */
  connect(send: (line: string) => void | Promise<void>, onShutdown?: () => void): Connection
  /** Talks to the host that started this process, until it is gone. */
  run(): Promise<never>
}

const keySyntax = /^(?=ctrl|alt)(?:ctrl\+)?(?:alt\+)?(?:shift\+)?[a-z]$/

export function createExtension(info: { name: string; version?: string }): Extension {
  const { name } = info
  if (!name) throw new TypeError('an extension needs a name')
  const offers = noOffers()
  let place: Place = { cwd: '', configDir: '' }
  let connection: Connection | undefined
  let isClosed = false

  const open = (what: string) => {
    if (isClosed)
      throw new Error(
        `${what} comes too late: the host has been told what ${name} offers. Offer it before run(), or in onInit.`,
      )
  }
  const add = <Value>(map: Map<string, Value>, kind: string, key: string, value: Value): Extension => {
    open(`${kind} ${key}`)
    if (typeof key !== 'string' || key === '') throw new TypeError(`a ${kind} needs a name`)
    if (map.has(key)) throw new TypeError(`${kind} ${key} is there already`)
    map.set(key, value)
    return extension
  }
  const push = <Value>(list: Value[], kind: string, value: Value): Extension => {
    open(kind)
    list.push(value)
    return extension
  }
  const handled = (kind: string, key: string, handler: unknown) => {
    if (typeof handler !== 'function') throw new TypeError(`${kind} ${key} needs a function`)
  }
  const ranked = <Handle>(handle: Handle, options: RankOptions = {}) => ({
    name: options.name ?? name,
    priority: options.priority ?? 0,
    handle,
  })

  const link = () => {
    if (!connection) throw new Error(`${name} does not run yet: call run() first`)
    return connection.link
  }
  const extension: Extension = {
    tool(key, definition) {
      handled('tool', key, definition.execute)
      return add(offers.tools, 'tool', key, definition as unknown as ToolDefinition)
    },
    command(key, definition) {
      handled('command', key, definition.handler)
      return add(offers.commands, 'command', key, definition)
    },
    promptSection: (title, section) => add(offers.promptSections, 'prompt section', title, section),
    interceptor(key, interceptor) {
      handled('interceptor', key, interceptor.before ?? interceptor.after)
      return add(offers.interceptors, 'interceptor', key, interceptor)
    },
    onEvent(events, handler, options) {
      const heard = events === 'all' ? [] : [events].flat()
      return push(offers.listeners, 'onEvent', {
        ...ranked(handler as never, options),
        events: heard as EventName[],
      })
    },
    shortcut(key, definition) {
      handled('shortcut', key, definition.handler)
      if (!keySyntax.test(key))
        throw new TypeError(
          `${key} is no key: ctrl+, alt+, shift+ in this order, at least one of the first two, and a letter`,
        )
      return add(offers.shortcuts, 'shortcut', key, definition)
    },
    messageHook: (handler, options) => push(offers.messageHooks, 'messageHook', ranked(handler, options)),
    inputTransformer: (handler, options) =>
      push(offers.inputTransformers, 'inputTransformer', ranked(handler, options)),
    compactor(compactor) {
      open('compactor')
      handled('compactor', compactor.name ?? '', compactor.compact)
      offers.compactor = compactor
      return extension
    },
    provider(api, provider) {
      handled('provider', api, provider)
      return add(offers.providers, 'provider', api, provider)
    },
    onInit: (prepare) => push(offers.onInit, 'onInit', prepare),
    onShutdown: (close) => push(offers.onShutdown, 'onShutdown', close),
    host: createHost(link),
    get cwd() {
      return place.cwd
    },
    get configDir() {
      return place.configDir
    },
    connect(send, onShutdown = () => {}) {
      if (connection) throw new Error(`${name} runs already`)
      connection = connectExtension({
        info,
        offers,
        send,
        onShutdown,
        onPlace(known) {
          place = known
        },
        onAnnounced() {
          isClosed = true
        },
      })
      return connection
    },
    run: () => runProgram(name, extension.connect),
  }
  return extension
}

// An extension as one table.

/** Gives the arguments of `execute` the types of the schema. */
export function defineTool<const Schema extends ArgsSchema>(
  definition: ToolDefinition<Schema>,
): ToolDefinition {
  return definition as unknown as ToolDefinition
}

export function defineExtension(definition: ExtensionDefinition): Extension {
  const {
    tools = {},
    commands = {},
    promptSections = {},
    interceptors = {},
    events = {},
    shortcuts = {},
    providers = {},
  } = definition
  const extension = createExtension(definition)
  for (const [name, tool] of Object.entries(tools)) extension.tool(name, tool)
  for (const [name, command] of Object.entries(commands)) extension.command(name, command)
  for (const [title, section] of Object.entries(promptSections)) extension.promptSection(title, section)
  for (const [name, interceptor] of Object.entries(interceptors)) extension.interceptor(name, interceptor)
  for (const name of Object.keys(events) as EventName[])
    extension.onEvent(name, handlerOf(events, name), { name })
  for (const [key, shortcut] of Object.entries(shortcuts)) extension.shortcut(key, shortcut)
  for (const [api, provider] of Object.entries(providers)) extension.provider(api, provider)
  const { messageHook, inputTransformer, compactor, onInit, onShutdown } = definition
  if (messageHook) extension.messageHook(messageHook)
  if (inputTransformer) extension.inputTransformer(inputTransformer)
  if (compactor) extension.compactor(compactor)
  if (onInit) extension.onInit(onInit)
  if (onShutdown) extension.onShutdown(onShutdown)
  return extension
}

function handlerOf(
  events: NonNullable<ExtensionDefinition['events']>,
  name: EventName,
): EventHandler<EventName> {
  const handler = events[name] as (data: unknown, context: Context) => ReturnType<EventHandler<EventName>>
  return ({ data }, context) => handler(data, context)
}
