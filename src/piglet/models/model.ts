// Describes a model: its key, its entry in a list of models, and how it is found by part of its name.

import { parse } from 'yaml'
import type { Environment } from '../../extensions/launch.ts'
import { EntireError, messageOf } from '../../std/errors.ts'
import { asArray, asNumber, asObject, asString } from '../../std/json.ts'
import type { PigletConfig } from '../settings/config.ts'

export type ChatModel = {
  id: string
  name: string
  provider: string
  /** The protocol of its server. */
  api: string
  baseUrl: string
  reasoning: boolean
  contextWindow: number
  maxTokens: number
  /** US dollars per million tokens. */
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number }
  headers?: Record<string, string>
}

/** An entry of a list of models; missing fields have default values. */
export type ModelEntry = Partial<Omit<ChatModel, 'cost'>> & {
  id: string
  provider: string
  cost?: Partial<ChatModel['cost']>
}

export function modelOf(entry: ModelEntry): ChatModel {
  return {
    name: entry.id,
    api: 'openai',
    baseUrl: '',
    reasoning: false,
    contextWindow: 0,
    maxTokens: 0,
    ...entry,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...entry.cost },
  }
}

export function modelKey({ provider, id }: Pick<ChatModel, 'provider' | 'id'>): string {
  return `${provider}/${id}`
}

const localProviders = ['local', 'lmstudio', 'ollama', 'vllm', 'llamacpp', 'mlx']

/** Local models are small, so they are shown less. */
export function isLocal({ provider, baseUrl }: ChatModel): boolean {
  return localProviders.includes(provider.toLowerCase()) || isLoopback(baseUrl)
}

export function isLoopback(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host)
}

/** A list of models, alone or under `models`. Entries without an id or a provider are left out. */
export function parseModels(text: string, path: string): ChatModel[] {
  let content: unknown
  try {
    content = parse(text)
  } catch (error) {
    throw new EntireError('bad-settings', `${path}: ${messageOf(error)}`)
  }
  const list = Array.isArray(content) ? content : asArray(asObject(content)?.models)
  return list.flatMap((item) => {
    const entry = parseEntry(item)
    return entry ? [modelOf(entry)] : []
  })
}

function parseEntry(item: unknown): ModelEntry | undefined {
  const fields = asObject(item) ?? {}
  const [id, provider] = [asString(fields.id), asString(fields.provider)]
  if (!id || !provider) return undefined
  const texts = ['name', 'api', 'baseUrl'].flatMap((name) =>
    asString(fields[name]) ? [[name, asString(fields[name])]] : [],
  )
  const numbers = ['contextWindow', 'maxTokens'].flatMap((name) =>
    asNumber(fields[name]) === undefined ? [] : [[name, asNumber(fields[name])]],
  )
  const cost = Object.entries(asObject(fields.cost) ?? {}).filter(
    ([, value]) => asNumber(value) !== undefined,
  )
  const headers = Object.entries(asObject(fields.headers) ?? {}).filter(
    ([, value]) => asString(value) !== undefined,
  )
  return {
    id,
    provider,
    ...Object.fromEntries([...texts, ...numbers]),
    reasoning: fields.reasoning === true,
    cost: Object.fromEntries(cost),
    ...(headers.length > 0 ? { headers: Object.fromEntries(headers) as Record<string, string> } : {}),
  }
}

/**
 * By the whole key, then by id, then the shortest id that begins with the query, then the shortest that
 * contains it.
 */
export function findModel(models: ChatModel[], query: string): ChatModel | undefined {
  const wanted = query.toLowerCase()
  if (wanted === '') return undefined
  const id = (model: ChatModel) => model.id.toLowerCase()
  const shortest = (fits: (model: ChatModel) => boolean) =>
    models.filter(fits).sort((a, b) => a.id.length - b.id.length)[0]
  return (
    models.find((model) => modelKey(model).toLowerCase() === wanted) ??
    models.find((model) => id(model) === wanted) ??
    shortest((model) => id(model).startsWith(wanted)) ??
    shortest((model) => id(model).includes(wanted) || model.name.toLowerCase().includes(wanted))
  )
}

/** The name of the model that the user has set for a purpose; empty when there is none. */
export function wantedModel(purpose: string, env: Environment, config: PigletConfig): string {
  const usual = env.PIGLET_DEFAULT_MODEL || config.text('defaultModel')
  if (purpose === '' || purpose === 'default') return usual
  return purpose === 'small' ? env.PIGLET_SMALL_MODEL || config.text('smallModel') || usual : purpose
}
