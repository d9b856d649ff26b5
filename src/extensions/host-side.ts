// What extensions hear from us: the program's answers, and those that the registry and the bus know.

import { codes, RpcFailure } from '../protocol/extension/peer.ts'
import type { SentResult } from '../protocol/extension/table.ts'
import { given } from '../std/given.ts'
import type { ExtensionApp } from './app.ts'
import type { EventBus } from './events.ts'
import type { HostSide, Offer } from './live-extension.ts'
import type { Manifest } from './manifest.ts'
import type { Reach, Registry } from './registry.ts'
import { callTool } from './tool-calls.ts'

export interface HostSideOptions {
  app: ExtensionApp
  reach: Reach
  bus: EventBus
  extensionsDir: string
  manifests(): Manifest[]
}

const levels = ['debug', 'info', 'warn', 'error'] as const

export function createHostSide({ app, reach, bus, extensionsDir, manifests }: HostSideOptions): HostSide {
  const { registry } = reach
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
      'host/toolDefs': () => ({ tools: [...registry.tools().values()].map(named) }),
      'host/commands': () => ({ commands: [...registry.commands().values()].map(named) }),
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
        const outcome = await callTool(reach, name, args, { id: callId, signal })
        if (outcome) return toAnswer(outcome)
        throw new RpcFailure(codes.notFound, `unknown tool: ${name}`)
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

function named({ name, description }: { name: string; description: string }) {
  return { name, description }
}

function toAnswer(
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

// What every extension registered, for those who want to show it.

type Infos = NonNullable<SentResult<'host/extInfos'>['extensions']>

export function extensionInfos(registry: Registry, manifests: Manifest[]): Infos {
  return registry.offers().map((offer) => ({
    ...describe(offer),
    ...manifestPart(manifests.find(({ name }) => name === offer.owner)),
  }))
}

function describe(offer: Offer): Infos[number] {
  if ('local' in offer) {
    const { tools, commands } = offer.local
    return {
      name: offer.owner,
      kind: 'builtin',
      tools: tools.map(({ name }) => name),
      commands: commands.map(({ name }) => name),
    }
  }
  const { registrations } = offer
  const names = (list: { name: string }[]) => list.map(({ name }) => name)
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

function manifestPart(manifest: Manifest | undefined) {
  if (!manifest) return {}
  return { ...(manifest.version === '' ? {} : { version: manifest.version }), runtime: manifest.runtime }
}
