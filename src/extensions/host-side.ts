// What extensions hear from us: the program's answers, and those that the registry and the bus know.
import type { SentResult } from '../protocol/extension.ts'
import { codes } from '../protocol/extension-line.ts'
import { RpcFailure } from '../protocol/extension-peer.ts'
import type { ExtensionApp } from './app.ts'
import type { EventBus } from './event-bus.ts'
import { extensionInfos } from './extension-infos.ts'
import type { HostSide } from './live-extension.ts'
import type { Manifest } from './manifest.ts'
import type { Reach } from './running.ts'
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
          .map(({ name, description, parameters, deferred }) => ({ name, description, parameters, ...(deferred ? { deferred } : {}) })),
      }),
      'host/toolDefs': () => ({ tools: [...registry.tools().values()].map(named) }),
      'host/commands': () => ({ commands: [...registry.commands().values()].map(named) }),
      'host/shortcuts': () => ({
        shortcuts: Object.fromEntries([...registry.shortcuts()].map(([key, { value }]) => [key, { description: value.description }])),
      }),
      'host/promptSections': () => ({
        sections: registry.sections().map(({ value: { title, tokenHint } }) => ({ title, ...(tokenHint === 0 ? {} : { tokenHint }) })),
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

function toAnswer(outcome: NonNullable<Awaited<ReturnType<typeof callTool>>>): SentResult<'host/executeTool'> {
  const { content, isError, errorCode, errorHint } = outcome
  return { content, ...(isError ? { isError } : {}), ...(errorCode ? { errorCode } : {}), ...(errorHint ? { errorHint } : {}) }
}
