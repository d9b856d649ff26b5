// Creates an extension, step by step or from one object. Offers are added before `run`, or in `onInit`.

import type { EventName } from '../../protocol/extension/events.ts'
import type { ArgsSchema } from './args.ts'
import { type Connection, connectExtension, type ExtensionPlace } from './connection.ts'
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
import { OfferList, type RankOptions } from './offers.ts'
import { runExtension } from './program.ts'

export interface Extension {
  tool<const Schema extends ArgsSchema>(name: string, definition: ToolDefinition<Schema>): Extension
  /** `name` has no slash. */
  command(name: string, definition: CommandDefinition): Extension
  promptSection(title: string, section: PromptSection): Extension
  interceptor(name: string, interceptor: Interceptor): Extension
  onEvent<Name extends EventName>(
    events: Name | readonly Name[] | 'all',
    handler: EventHandler<Name>,
    options?: RankOptions,
  ): Extension
  /** `key` is `ctrl+`, `alt+`, `shift+` in this order, and a letter. */
  shortcut(key: string, definition: ShortcutDefinition): Extension
  messageHook(handler: MessageHook, options?: RankOptions): Extension
  inputTransformer(handler: InputTransformer, options?: RankOptions): Extension
  compactor(compactor: Compactor): Extension
  provider(api: string, provider: Provider): Extension
  onInit(prepare: (context: Context) => unknown): Extension
  onShutdown(close: (context: Context) => unknown): Extension
  /** For calls outside of a handler, such as from timers. */
  readonly host: Host
  /** The project; empty before the host has named it. */
  readonly cwd: string
  readonly configDir: string
  /** Talks over lines that the caller carries, for tests. */
  connect(send: (line: string) => void | Promise<void>, onShutdown?: () => void): Connection
  /** Talks to the host that started this process until the host is gone. */
  run(): Promise<never>
}

export function createExtension(info: { name: string; version?: string }): Extension {
  const { name } = info
  if (!name) throw new TypeError('an extension requires a name')
  const list = new OfferList(name)
  let place: ExtensionPlace = { cwd: '', configDir: '' }
  let connection: Connection | undefined
  const link = () => {
    if (!connection) throw new Error(`${name} is not running yet: call run() first`)
    return connection.link
  }
  const connect: Extension['connect'] = (send, onShutdown = () => {}) => {
    if (connection) throw new Error(`${name} is already running`)
    connection = connectExtension({
      info,
      offers: list.offers,
      send,
      onShutdown,
      onPlace: (known) => {
        place = known
      },
      onAnnounced: () => list.close(),
    })
    return connection
  }
  const offer = (add: () => void): Extension => {
    add()
    return extension
  }
  const extension: Extension = {
    tool: (key, tool) => offer(() => list.addTool(key, tool as unknown as ToolDefinition)),
    command: (key, command) => offer(() => list.addCommand(key, command)),
    promptSection: (title, section) => offer(() => list.addPromptSection(title, section)),
    interceptor: (key, interceptor) => offer(() => list.addInterceptor(key, interceptor)),
    onEvent: (events, handler, options) =>
      offer(() => list.addListener(events === 'all' ? [] : [events].flat(), handler as never, options)),
    shortcut: (key, shortcut) => offer(() => list.addShortcut(key, shortcut)),
    messageHook: (handler, options) => offer(() => list.addMessageHook(handler, options)),
    inputTransformer: (handler, options) => offer(() => list.addInputTransformer(handler, options)),
    compactor: (compactor) => offer(() => list.setCompactor(compactor)),
    provider: (api, provider) => offer(() => list.addProvider(api, provider)),
    onInit: (prepare) => offer(() => list.addInit(prepare)),
    onShutdown: (close) => offer(() => list.addShutdown(close)),
    host: createHost(link),
    get cwd() {
      return place.cwd
    },
    get configDir() {
      return place.configDir
    },
    connect,
    run: () => runExtension(name, connect),
  }
  return extension
}

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
