// Who offers what, right now. Nobody keeps what they find here: a process behind a name may be another one the next time.

import { codes, RpcFailure } from '../protocol/extension/peer.ts'
import type { Params } from '../protocol/extension/table.ts'
import type { LiveExtension, LocalCommand, LocalTool, Offer } from './live-extension.ts'

/** The part of a registration that is the same for tools of the program and of extensions. */
export interface Tool {
  owner: string
  name: string
  description: string
  parameters: unknown
  promptHint: string
  deferred: boolean
  backgroundSafe: boolean
  interruptBehavior: 'cancel' | 'block'
  local?: LocalTool
}

export interface Command {
  owner: string
  name: string
  description: string
  immediate: boolean
  local?: LocalCommand
}

export interface Owned<Value> {
  owner: string
  value: Value
}

export type Registry = ReturnType<typeof createRegistry>

type Extensions = Extract<Offer, { registrations: unknown }>

export function createRegistry() {
  const offers = new Map<string, Offer>()

  const inOrder = () => [...offers.values()].sort((a, b) => a.rank - b.rank || (a.owner < b.owner ? -1 : 1))
  const extensions = () => inOrder().filter((offer): offer is Extensions => 'registrations' in offer)
  const owned = <R extends keyof Extensions['registrations']>(name: R): Owned<Params<R>>[] =>
    extensions().flatMap(({ owner, registrations }) =>
      registrations[name].map((value) => ({ owner, value: value as Params<R> })),
    )

  /** Of several with one name the last one counts; when it goes, the one before it is back. */
  const byName = <Value extends { name: string }>(values: Value[]) =>
    new Map(values.map((value) => [value.name, value]))

  return {
    /** Everything the owner offered before is replaced at once. */
    set: (offer: Offer) => void offers.set(offer.owner, offer),
    remove: (owner: string) => void offers.delete(owner),
    offers: inOrder,

    tools(): Map<string, Tool> {
      const all = inOrder().flatMap((offer) =>
        'local' in offer
          ? offer.local.tools.map((tool) => ({ ...describe(offer.owner, tool), local: tool }))
          : offer.registrations['register/tool'].map((tool) => describe(offer.owner, tool)),
      )
      return new Map([...byName(all)].sort(([a], [b]) => (a < b ? -1 : 1)))
    },

    commands(): Map<string, Command> {
      const all = inOrder().flatMap((offer): Command[] =>
        'local' in offer
          ? offer.local.commands.map((command) => ({
              owner: offer.owner,
              immediate: false,
              ...command,
              local: command,
            }))
          : offer.registrations['register/command'].map((command) => ({ ...command, owner: offer.owner })),
      )
      return new Map([...byName(all)].sort(([a], [b]) => (a < b ? -1 : 1)))
    },

    shortcuts: () => new Map(owned('register/shortcut').map((entry) => [entry.value.key, entry])),

    sections: () => owned('register/promptSection').sort((a, b) => a.value.order - b.value.order),

    /** The higher ones first. */
    interceptors: () => owned('register/interceptor').sort((a, b) => b.value.priority - a.value.priority),

    /** Those who hear of an event, each once, the lower ones first. */
    listeners: (event: string) =>
      owners(
        owned('register/eventHandler').filter(
          ({ value }) => value.events.length === 0 || value.events.includes(event),
        ),
      ),

    messageHooks: () => owners(owned('register/messageHook')),

    inputTransformers: () => owners(owned('register/inputTransformer')),

    compactor: () => owned('register/compactor').at(-1),

    /** Who speaks for models of this kind. */
    provider: (api: string) => owned('register/provider').findLast(({ value }) => value.api === api)?.owner,
  }
}

function describe(owner: string, tool: LocalTool | Params<'register/tool'>): Tool {
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

function owners(entries: Owned<{ priority: number }>[]): string[] {
  return [...new Set(entries.sort((a, b) => a.value.priority - b.value.priority).map(({ owner }) => owner))]
}

// The processes behind the names of extensions. Whoever needs one asks for it at that moment.

export interface Running {
  /** Undefined when it does not run at the moment. */
  find(name: string): LiveExtension | undefined
  /** In words: why it does not. */
  whyNot(name: string): string
}

/** Everything that is needed to get at what extensions offer. */
export interface Reach {
  registry: Registry
  running: Running
}

export function requireRunning(running: Running, name: string): LiveExtension {
  const live = running.find(name)
  if (live) return live
  throw new RpcFailure(codes.failed, `extension ${name} is not running: ${running.whyNot(name)}`)
}
