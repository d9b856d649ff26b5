// Everything an extension offers, until the host has asked for it. What comes later would never be heard of, and is an error.

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

export type Ranked = { name: string; priority: number }

export interface Offers {
  tools: Map<string, ToolDefinition>
  commands: Map<string, CommandDefinition>
  promptSections: Map<string, PromptSection>
  interceptors: Map<string, Interceptor>
  /** Of no events: of all. */
  listeners: (Ranked & { events: EventName[]; handle: EventHandler<EventName> })[]
  shortcuts: Map<string, ShortcutDefinition>
  messageHooks: (Ranked & { handle: MessageHook })[]
  inputTransformers: (Ranked & { handle: InputTransformer })[]
  compactor: Compactor | undefined
  providers: Map<string, Provider>
  onInit: ((context: Context) => unknown)[]
  onShutdown: ((context: Context) => unknown)[]
}

export function noOffers(): Offers {
  return {
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
}

/** The lower ones first; those that are equal in the order in which they came. */
export function inOrder<Entry extends Ranked>(entries: Entry[]): Entry[] {
  return [...entries].sort((a, b) => a.priority - b.priority)
}
