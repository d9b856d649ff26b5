// Answers the requests of extensions: those about extensions from the registry, the event bus and the list of
// manifests, all others through the hosting program.

import { RpcFailure, rpcErrorCodes } from '../protocol/extension/rpc.ts'
import type { SentResult } from '../protocol/extension/table.ts'
import { given } from '../std/given.ts'
import type { ExtensionAction } from './action.ts'
import type { EventBus } from './events.ts'
import type { HostSide, LiveExtension } from './live-extension.ts'
import type { Manifest } from './manifest.ts'
import type { ExtensionAccess, Offer, Registry } from './registry.ts'
import { callTool } from './tool-calls.ts'

/** What the protocol needs of the program that hosts extensions. */
export interface ExtensionApp {
  /** The project. */
  cwd: string
  /** The directory of the user's settings, sessions and extensions. */
  configDir: string
  sessionId(): string | undefined
  requests: Omit<HostSide['requests'], AnsweredHere>
  notices: Omit<HostSide['notices'], 'log'>
  /** Does what the answer to an event or a key asks for. */
  act(action: ExtensionAction, extension: string): void
  /** Removes what a process shows once it has ended. By then another process may run under the same name. */
  gone(extension: LiveExtension): void
  /** Tells the user about the extensions themselves. */
  announce(level: 'info' | 'warn' | 'error', message: string): void
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields?: Record<string, string>): void
  /** Whether the user lets an extension have a key or secret that its manifest does not declare. */
  approve(extension: Manifest, what: string): Promise<boolean>
}

type AnsweredHere =
  | 'host/listTools'
  | 'host/toolDefs'
  | 'host/commands'
  | 'host/shortcuts'
  | 'host/promptSections'
  | 'host/extInfos'
  | 'host/extensionsDir'
  | 'host/executeTool'
  | 'host/hasCompactor'
  | 'host/publish'
  | 'host/subscribe'

export interface HostSideOptions {
  app: ExtensionApp
  access: ExtensionAccess
  bus: EventBus
  extensionsDir: string
  manifests(): Manifest[]
}

const levels = ['debug', 'info', 'warn', 'error'] as const

export function createHostSide({ app, access, bus, extensionsDir, manifests }: HostSideOptions): HostSide {
  const { registry } = access
  return {
    requests: {
      ...app.requests,
      'host/listTools': ({ filter }) => ({
        tools: [...registry.tools().values()]
          .filter((tool) => filter !== 'background_safe' || tool.backgroundSafe)
          .map(({ name, description, parameters, deferred }) => ({
            name,
            description,
            parameters,
            ...(deferred ? { deferred } : {}),
          })),
      }),
      'host/toolDefs': () => ({ tools: [...registry.tools().values()].map(nameAndDescription) }),
      'host/commands': () => ({ commands: [...registry.commands().values()].map(nameAndDescription) }),
      'host/shortcuts': () => ({
        shortcuts: Object.fromEntries(
          [...registry.shortcuts()].map(([key, { value }]) => [key, { description: value.description }]),
        ),
      }),
      'host/promptSections': () => ({
        sections: registry
          .sections()
          .map(({ value: { title, tokenHint } }) => ({ title, ...(tokenHint === 0 ? {} : { tokenHint }) })),
      }),
      'host/extInfos': () => ({ extensions: extensionInfos(registry, manifests()) }),
      'host/extensionsDir': () => ({ path: extensionsDir }),
      'host/hasCompactor': () => ({ present: registry.compactor() !== undefined }),
      'host/executeTool': async ({ name, args, callId }, { signal }) => {
        const outcome = await callTool(access, name, args, { id: callId, signal })
        if (outcome) return toolAnswer(outcome)
        throw new RpcFailure(rpcErrorCodes.notFound, `unknown tool: ${name}`)
      },
      'host/publish': ({ topic, data }) => {
        bus.publish(topic, data)
        return {}
      },
      'host/subscribe': ({ topic }, { live }) => ({ subscriptionId: bus.subscribe(topic, live) }),
    },
    notices: {
      ...app.notices,
      log: ({ level, message }, { extension }) => {
        const known = levels.find((name) => name === level.toLowerCase()) ?? 'info'
        app.log(known, message, { extension: extension.name })
      },
    },
  }
}

function nameAndDescription({ name, description }: { name: string; description: string }) {
  return { name, description }
}

function toolAnswer(
  outcome: NonNullable<Awaited<ReturnType<typeof callTool>>>,
): SentResult<'host/executeTool'> {
  const { content, isError, errorCode, errorHint } = outcome
  return {
    content,
    ...(isError ? { isError } : {}),
    ...(errorCode ? { errorCode } : {}),
    ...(errorHint ? { errorHint } : {}),
  }
}

type ExtensionInfos = NonNullable<SentResult<'host/extInfos'>['extensions']>

/** What every owner offers, with the version and runtime of its manifest. */
function extensionInfos(registry: Registry, manifests: Manifest[]): ExtensionInfos {
  return registry.offers().map((offer) => ({
    ...describeOffer(offer),
    ...versionAndRuntime(manifests.find(({ name }) => name === offer.owner)),
  }))
}

function describeOffer(offer: Offer): ExtensionInfos[number] {
  const names = (list: { name: string }[]) => list.map(({ name }) => name)
  if ('local' in offer) {
    const { tools, commands } = offer.local
    return { name: offer.owner, kind: 'builtin', tools: names(tools), commands: names(commands) }
  }
  const { registrations } = offer
  const compactor = registrations['register/compactor'].at(-1)?.name
  const lists = {
    tools: names(registrations['register/tool']),
    commands: names(registrations['register/command']),
    interceptors: names(registrations['register/interceptor']),
    eventHandlers: names(registrations['register/eventHandler']),
    shortcuts: registrations['register/shortcut'].map(({ key }) => key),
    messageHooks: names(registrations['register/messageHook']),
    promptSections: registrations['register/promptSection'].map(({ title }) => title),
    inputTransformers: names(registrations['register/inputTransformer']),
    providers: registrations['register/provider'].map(({ api }) => api),
  }
  const filled = Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))
  return { name: offer.owner, kind: 'external', ...filled, ...given({ compactor }) }
}

function versionAndRuntime(manifest: Manifest | undefined) {
  if (!manifest) return {}
  return { ...(manifest.version === '' ? {} : { version: manifest.version }), runtime: manifest.runtime }
}
