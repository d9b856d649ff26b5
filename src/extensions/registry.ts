// Knows which tools, commands, shortcuts, prompts and hooks are offered right now, and by which owner. Offers
// change whenever an extension starts or stops, so every lookup computes them again.

import type { ContentBlock } from '../protocol/extension/content.ts'
import type { Params } from '../protocol/extension/table.ts'
import type { Registrations, RunningExtensions } from './live-extension.ts'

/** What is needed to use the offers of extensions. */
export interface ExtensionAccess {
  registry: Registry
  running: RunningExtensions
}

/**
 * Everything one owner offers. The program itself has rank 0; extensions follow in the order of their names.
 */
export type Offer = { owner: string; rank: number } & (
  | { local: LocalOffer }
  | { registrations: Registrations }
)

type ExtensionOffer = Extract<Offer, { registrations: unknown }>

/** What the hosting program offers itself. */
export interface LocalOffer {
  tools: LocalTool[]
  commands: LocalCommand[]
}

export interface LocalTool {
  name: string
  description: string
  parameters: unknown
  promptHint?: string
  backgroundSafe?: boolean
  deferred?: boolean
  /** `block`: once started it is not interrupted. */
  interruptBehavior?: 'cancel' | 'block'
  execute(args: Record<string, unknown>, call: ToolCall): Promise<ToolOutcome>
}

export interface ToolCall {
  id: string
  signal: AbortSignal
}

export interface ToolOutcome {
  content: ContentBlock[]
  isError: boolean
  /** For programs: structured facts beside the content. */
  details?: unknown
  errorCode?: string
  errorHint?: string
}

export interface LocalCommand {
  name: string
  description: string
  immediate?: boolean
  execute(args: string, signal: AbortSignal): Promise<void>
}

/** A tool as callers see it, whether it belongs to the program or to an extension. */
export interface Tool {
  owner: string
  name: string
  description: string
  parameters: unknown
  promptHint: string
  deferred: boolean
  backgroundSafe: boolean
  interruptBehavior: 'cancel' | 'block'
  /** Set for a tool of the program itself. */
  local?: LocalTool
}

export interface Command {
  owner: string
  name: string
  description: string
  immediate: boolean
  /** Set for a command of the program itself. */
  local?: LocalCommand
}

export interface Owned<Value> {
  owner: string
  value: Value
}

export class Registry {
  readonly #offers = new Map<string, Offer>()

  /** Replaces everything the owner offered before. */
  set(offer: Offer): void {
    this.#offers.set(offer.owner, offer)
  }

  remove(owner: string): void {
    this.#offers.delete(owner)
  }

  offers(): Offer[] {
    return [...this.#offers.values()].sort((a, b) => a.rank - b.rank || (a.owner < b.owner ? -1 : 1))
  }

  tools(): Map<string, Tool> {
    return lastByName(
      this.offers().flatMap((offer) =>
        'local' in offer
          ? offer.local.tools.map((tool) => ({ ...describeTool(offer.owner, tool), local: tool }))
          : offer.registrations['register/tool'].map((tool) => describeTool(offer.owner, tool)),
      ),
    )
  }

  commands(): Map<string, Command> {
    return lastByName(
      this.offers().flatMap((offer): Command[] =>
        'local' in offer
          ? offer.local.commands.map((command) => ({
              owner: offer.owner,
              immediate: false,
              ...command,
              local: command,
            }))
          : offer.registrations['register/command'].map((command) => ({ ...command, owner: offer.owner })),
      ),
    )
  }

  shortcuts(): Map<string, Owned<Params<'register/shortcut'>>> {
    return new Map(this.#registered('register/shortcut').map((entry) => [entry.value.key, entry]))
  }

  sections(): Owned<Params<'register/promptSection'>>[] {
    return this.#registered('register/promptSection').sort((a, b) => a.value.order - b.value.order)
  }

  /** Highest priority first. */
  interceptors(): Owned<Params<'register/interceptor'>>[] {
    return this.#registered('register/interceptor').sort((a, b) => b.value.priority - a.value.priority)
  }

  /** The extensions that receive an event, each once, lowest priority first. */
  listeners(event: string): string[] {
    return ownersByPriority(
      this.#registered('register/eventHandler').filter(
        ({ value }) => value.events.length === 0 || value.events.includes(event),
      ),
    )
  }

  messageHooks(): string[] {
    return ownersByPriority(this.#registered('register/messageHook'))
  }

  inputTransformers(): string[] {
    return ownersByPriority(this.#registered('register/inputTransformer'))
  }

  compactor(): Owned<Params<'register/compactor'>> | undefined {
    return this.#registered('register/compactor').at(-1)
  }

  /** The extension that provides the models of an API. */
  provider(api: string): string | undefined {
    return this.#registered('register/provider').findLast(({ value }) => value.api === api)?.owner
  }

  #registered<R extends keyof Registrations>(name: R): Owned<Params<R>>[] {
    return this.offers()
      .filter((offer): offer is ExtensionOffer => 'registrations' in offer)
      .flatMap(({ owner, registrations }) =>
        registrations[name].map((value) => ({ owner, value: value as Params<R> })),
      )
  }
}

/**
 * Of several with the same name the last one counts; when it goes, the one before it is back. Sorted by name.
 */
function lastByName<Value extends { name: string }>(values: Value[]): Map<string, Value> {
  const byName = new Map(values.map((value) => [value.name, value]))
  return new Map([...byName].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function describeTool(owner: string, tool: LocalTool | Params<'register/tool'>): Tool {
  return {
    owner,
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters ?? { type: 'object' },
    promptHint: tool.promptHint ?? '',
    deferred: tool.deferred ?? false,
    backgroundSafe: tool.backgroundSafe ?? false,
    interruptBehavior: tool.interruptBehavior === 'block' ? 'block' : 'cancel',
  }
}

function ownersByPriority(entries: Owned<{ priority: number }>[]): string[] {
  return [...new Set(entries.sort((a, b) => a.value.priority - b.value.priority).map(({ owner }) => owner))]
}
