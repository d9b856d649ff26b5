// Describes a model (its key, its entry in a list, how it is found by part of its name), a request to it, and
// its answer.

import { parse } from 'yaml'
import type { Environment } from '../../std/environment.ts'
import { EntireError, messageOf } from '../../std/errors.ts'
import { asArray, asNumber, asObject, asString } from '../../std/json.ts'
import type { AssistantChatMessage, ChatMessage, StopReason } from '../conversation/message.ts'
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

export type ToolSchema = {
  name: string
  description: string
  /** Missing for a deferred tool whose schema is not shown yet. */
  parameters?: unknown
}

export interface ModelRequest {
  model: ChatModel
  system: string
  messages: ChatMessage[]
  tools: ToolSchema[]
  maxTokens: number
}

export interface AnswerPiece {
  kind: 'text' | 'thinking' | 'toolcall'
  index: number
  delta: string
}

export interface AnswerOptions {
  signal: AbortSignal
  onPiece(piece: AnswerPiece): void
}

export type AnswerRequest = (request: ModelRequest, options: AnswerOptions) => Promise<AssistantChatMessage>

/** The provider answered with an error, or not in full. */
export class ModelFailure extends Error {
  constructor(
    message: string,
    readonly status: number | undefined,
    readonly retryAfterMs: number | undefined,
  ) {
    super(message)
  }

  /** Repeating the request would fail in the same way. */
  get isFinal(): boolean {
    return this.status !== undefined && [400, 401, 403, 404, 413, 422].includes(this.status)
  }
}

export function costOf({ cost }: ChatModel, usage: Omit<AssistantChatMessage['usage'], 'cost'>): number {
  const fresh = Math.max(usage.inputTokens - usage.cacheReadTokens, 0)
  const sum =
    fresh * cost.input +
    usage.cacheReadTokens * (cost.cacheRead || cost.input) +
    usage.cacheWriteTokens * cost.cacheWrite
  return (sum + usage.outputTokens * cost.output) / 1_000_000
}

export const stopReasons: Record<string, StopReason> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'toolUse',
  function_call: 'toolUse',
}
