// Collects what an extension offers until the host has been told. A later offer is an error.

import type { EventName } from '../../protocol/extension/events.ts'
import type {
  CommandDefinition,
  Compactor,
  Context,
  EventHandler,
  InputTransformer,
  Interceptor,
  MessageHook,
  PromptSection,
  Provider,
  ShortcutDefinition,
  ToolDefinition,
} from './definition.ts'

/** Handlers with a lower priority come first. */
export type Ranked = { name: string; priority: number }

export interface RankOptions {
  name?: string
  priority?: number
}

export interface Offers {
  tools: Map<string, ToolDefinition>
  commands: Map<string, CommandDefinition>
  promptSections: Map<string, PromptSection>
  interceptors: Map<string, Interceptor>
  /** An empty list of events stands for all events. */
  listeners: (Ranked & { events: EventName[]; handle: EventHandler<EventName> })[]
  shortcuts: Map<string, ShortcutDefinition>
  messageHooks: (Ranked & { handle: MessageHook })[]
  inputTransformers: (Ranked & { handle: InputTransformer })[]
  compactor: Compactor | undefined
  providers: Map<string, Provider>
  onInit: ((context: Context) => unknown)[]
  onShutdown: ((context: Context) => unknown)[]
}

const keySyntax = /^(?=ctrl|alt)(?:ctrl\+)?(?:alt\+)?(?:shift\+)?[a-z]$/

export class OfferList {
  readonly offers: Offers = {
    tools: new Map(),
    commands: new Map(),
    promptSections: new Map(),
    interceptors: new Map(),
    listeners: [],
    shortcuts: new Map(),
    messageHooks: [],
    inputTransformers: [],
    compactor: undefined,
    providers: new Map(),
    onInit: [],
    onShutdown: [],
  }
  readonly #extension: string
  #isClosed = false

  constructor(extension: string) {
    this.#extension = extension
  }

  /** From now on every offer comes too late. */
  close(): void {
    this.#isClosed = true
  }

  addTool(name: string, tool: ToolDefinition): void {
    requireFunction('tool', name, tool.execute)
    this.#add(this.offers.tools, 'tool', name, tool)
  }

  addCommand(name: string, command: CommandDefinition): void {
    requireFunction('command', name, command.handler)
    this.#add(this.offers.commands, 'command', name, command)
  }

  addPromptSection(title: string, section: PromptSection): void {
    this.#add(this.offers.promptSections, 'prompt section', title, section)
  }

  addInterceptor(name: string, interceptor: Interceptor): void {
    requireFunction('interceptor', name, interceptor.before ?? interceptor.after)
    this.#add(this.offers.interceptors, 'interceptor', name, interceptor)
  }

  addListener(events: EventName[], handle: EventHandler<EventName>, options?: RankOptions): void {
    this.#push(this.offers.listeners, 'onEvent', { ...this.#rank(handle, options), events })
  }

  addShortcut(key: string, shortcut: ShortcutDefinition): void {
    requireFunction('shortcut', key, shortcut.handler)
    if (!keySyntax.test(key))
      throw new TypeError(
        `${key} is not a valid key: write ctrl+, alt+, shift+ in this order, with at least one of the first two, and a letter`,
      )
    this.#add(this.offers.shortcuts, 'shortcut', key, shortcut)
  }

  addMessageHook(handle: MessageHook, options?: RankOptions): void {
    this.#push(this.offers.messageHooks, 'messageHook', this.#rank(handle, options))
  }

  addInputTransformer(handle: InputTransformer, options?: RankOptions): void {
    this.#push(this.offers.inputTransformers, 'inputTransformer', this.#rank(handle, options))
  }

  setCompactor(compactor: Compactor): void {
    this.#requireOpen('compactor')
    requireFunction('compactor', compactor.name ?? '', compactor.compact)
    this.offers.compactor = compactor
  }

  addProvider(api: string, provider: Provider): void {
    requireFunction('provider', api, provider)
    this.#add(this.offers.providers, 'provider', api, provider)
  }

  addInit(prepare: (context: Context) => unknown): void {
    this.#push(this.offers.onInit, 'onInit', prepare)
  }

  addShutdown(close: (context: Context) => unknown): void {
    this.#push(this.offers.onShutdown, 'onShutdown', close)
  }

  #add<Value>(offered: Map<string, Value>, kind: string, key: string, value: Value): void {
    this.#requireOpen(`${kind} ${key}`)
    if (typeof key !== 'string' || key === '') {
      throw new TypeError(`${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind} requires a name`)
    }
    if (offered.has(key)) throw new TypeError(`${kind} ${key} is already defined`)
    offered.set(key, value)
  }

  #push<Value>(offered: Value[], kind: string, value: Value): void {
    this.#requireOpen(kind)
    offered.push(value)
  }

  #rank<Handle>(handle: Handle, { name = this.#extension, priority = 0 }: RankOptions = {}) {
    return { name, priority, handle }
  }

  #requireOpen(offer: string): void {
    if (this.#isClosed)
      throw new Error(
        `${offer} comes too late: the host already knows what ${this.#extension} offers. Offer it before run(), or in onInit.`,
      )
  }
}

function requireFunction(kind: string, key: string, handler: unknown): void {
  if (typeof handler !== 'function') throw new TypeError(`${kind} ${key} requires a function`)
}

/** Lower priorities first; equal ones in the order in which they were added. */
export function inOrder<Entry extends Ranked>(entries: Entry[]): Entry[] {
  return [...entries].sort((a, b) => a.priority - b.priority)
}
