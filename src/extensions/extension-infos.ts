// What every extension registered, for those who want to show it.
import type { SentResult } from '../protocol/extension.ts'
import type { Manifest } from './manifest.ts'
import type { Offer } from './offer.ts'
import type { Registry } from './registry.ts'

type Infos = NonNullable<SentResult<'host/extInfos'>['extensions']>

export function extensionInfos(registry: Registry, manifests: Manifest[]): Infos {
  return registry.offers().map((offer) => ({ ...describe(offer), ...manifestPart(manifests.find(({ name }) => name === offer.owner)) }))
}

function describe(offer: Offer): Infos[number] {
  if ('local' in offer) {
    const { tools, commands } = offer.local
    return { name: offer.owner, kind: 'builtin', tools: tools.map(({ name }) => name), commands: commands.map(({ name }) => name) }
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
  return { name: offer.owner, kind: 'external', ...filled, ...(compactor === undefined ? {} : { compactor }) }
}

function manifestPart(manifest: Manifest | undefined) {
  if (!manifest) return {}
  return { ...(manifest.version === '' ? {} : { version: manifest.version }), runtime: manifest.runtime }
}
