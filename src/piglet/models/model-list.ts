// Lists all models: those of the user's `models.yaml`, or else the known ones, and those of local servers.

import { join } from 'node:path'
import { parseDocument } from 'yaml'
import type { Params, SentResult } from '../../protocol/extension/table.ts'
import { EntireError } from '../../std/errors.ts'
import { readText, writeAtomic } from '../../std/file.ts'
import { asArray, asObject, asString } from '../../std/json.ts'
import type { PigletConfig } from '../settings/config.ts'
import { type ChatModel, type ModelEntry, modelKey, modelOf, parseModels } from './model.ts'

type Overrides = NonNullable<Params<'host/writeModels'>['overrides']>

export interface ModelListOptions {
  configDir: string
  config(): PigletConfig
  fetch: typeof fetch
}

export class ModelList {
  readonly #options: ModelListOptions
  readonly #path: string
  #listed: ChatModel[]
  #local: ChatModel[] = []

  constructor(options: ModelListOptions) {
    this.#options = options
    this.#path = join(options.configDir, 'models.yaml')
    this.#listed = this.#read()
  }

  /** With the base URLs that the settings give for providers. */
  all(): ChatModel[] {
    const config = this.#options.config()
    const byKey = new Map(
      [...this.#local, ...this.#listed].map((model) => [modelKey(model).toLowerCase(), model]),
    )
    return [...byKey.values()].map((model) => ({
      ...model,
      baseUrl: config.text(`providers.${model.provider}`) || model.baseUrl,
    }))
  }

  /** Reads the list and asks the local servers again; returns how many models are new or changed. */
  async sync(): Promise<number> {
    const before = new Set(this.all().map((model) => JSON.stringify(model)))
    this.#listed = this.#read()
    this.#local = await probeLocalServers(this.#options.config(), this.#options.fetch)
    return this.all().filter((model) => !before.has(JSON.stringify(model))).length
  }

  /** Writes the known models with these overrides, and the models that the user added. */
  write(overrides: Overrides): number {
    const changes = new Map(Object.entries(overrides).map(([key, change]) => [key.toLowerCase(), change]))
    const known = new Set(knownModels.map(modelKey))
    const added = this.#read().filter((model) => !known.has(modelKey(model)))
    const models = [...knownModels, ...added].map((model) => {
      const { name, contextWindow, maxTokens } = changes.get(modelKey(model).toLowerCase()) ?? {}
      return {
        ...model,
        name: name || model.name,
        contextWindow: contextWindow || model.contextWindow,
        maxTokens: maxTokens || model.maxTokens,
      }
    })
    const document = parseDocument(readText(this.#path) ?? '')
    if (document.errors[0])
      throw new EntireError('bad-settings', `${this.#path}: ${document.errors[0].message}`)
    const content = Array.isArray(document.toJS()) ? {} : ((document.toJS() as object | null) ?? {})
    const written = parseDocument('')
    for (const [key, value] of Object.entries({ ...content, models })) written.set(key, value)
    writeAtomic(this.#path, written.toString(), { mode: 0o600 })
    this.#listed = this.#read()
    return models.length
  }

  #read(): ChatModel[] {
    const text = readText(this.#path)
    return text === undefined ? knownModels : parseModels(text, this.#path)
  }
}

export function modelInfos(
  models: ChatModel[],
  current: string,
): NonNullable<SentResult<'host/availableModels'>['models']> {
  return models.map((model) => ({
    id: model.id,
    api: model.api,
    displayName: `${model.provider}/${model.name}`,
    provider: model.provider,
    ...(model.contextWindow ? { contextWindow: model.contextWindow } : {}),
    ...(model.maxTokens ? { maxTokens: model.maxTokens } : {}),
    ...(model.reasoning ? { reasoning: true } : {}),
    ...(model.cost.input ? { costInput: model.cost.input } : {}),
    ...(model.cost.output ? { costOutput: model.cost.output } : {}),
    current: modelKey(model) === current,
  }))
}

const providers: Record<string, Pick<ModelEntry, 'api' | 'baseUrl'>> = {
  anthropic: { api: 'anthropic', baseUrl: 'https://api.anthropic.com' },
  openai: { api: 'openai', baseUrl: 'https://api.openai.com' },
  google: { api: 'google', baseUrl: 'https://generativelanguage.googleapis.com' },
  xai: { api: 'openai', baseUrl: 'https://api.x.ai' },
  groq: { api: 'openai', baseUrl: 'https://api.groq.com/openai' },
  openrouter: { api: 'openai', baseUrl: 'https://openrouter.ai/api' },
  zai: { api: 'openai', baseUrl: 'https://api.z.ai/api/coding/paas/v4' },
  lmstudio: { api: 'openai', baseUrl: 'http://localhost:1234' },
}

type Row = [
  provider: string,
  id: string,
  name: string,
  contextWindow: number,
  maxTokens: number,
  input?: number,
  output?: number,
  cacheRead?: number,
  cacheWrite?: number,
]

const rows: Row[] = [
  ['anthropic', 'claude-opus-4-6', 'Claude Opus 4.6', 1_000_000, 128_000, 15, 75, 1.5, 18.75],
  ['anthropic', 'claude-sonnet-4-6', 'Claude Sonnet 4.6', 1_000_000, 64_000, 3, 15, 0.3, 3.75],
  ['anthropic', 'claude-haiku-4-5-20251001', 'Claude Haiku 4.5', 200_000, 64_000, 0.8, 4, 0.08, 1],
  ['openai', 'gpt-5.4', 'GPT-5.4', 1_050_000, 128_000, 10, 30],
  ['openai', 'gpt-5', 'GPT-5', 400_000, 128_000, 10, 30],
  ['openai', 'o4-mini', 'o4-mini', 200_000, 100_000, 1.1, 4.4],
  ['openai', 'gpt-4.1', 'GPT-4.1', 1_047_576, 32_768, 2, 8],
  ['openai', 'gpt-4.1-mini', 'GPT-4.1 mini', 1_047_576, 32_768, 0.4, 1.6],
  ['openai', 'gpt-4o', 'GPT-4o', 128_000, 16_384, 2.5, 10],
  ['google', 'gemini-3.1-pro-preview', 'Gemini 3.1 Pro Preview', 1_048_576, 65_536, 2.5, 15],
  ['google', 'gemini-2.5-pro', 'Gemini 2.5 Pro', 1_048_576, 65_536, 1.25, 10],
  ['google', 'gemini-2.5-flash', 'Gemini 2.5 Flash', 1_048_576, 65_536, 0.15, 0.6],
  ['xai', 'grok-3', 'Grok 3', 131_072, 8192, 3, 15],
  ['groq', 'llama-3.3-70b-versatile', 'Llama 3.3 70B', 131_072, 32_768],
  ['openrouter', 'auto', 'Auto', 200_000, 16_384],
  ['zai', 'glm-5.1', 'GLM-5.1', 200_000, 131_072],
  ['zai', 'glm-4.7', 'GLM-4.7', 204_800, 131_072],
  ['lmstudio', 'local-model', 'Local model', 32_000, 32_000],
]

/** The models that are known without a `models.yaml`. */
const knownModels = rows.map(
  ([provider, id, name, contextWindow, maxTokens, input = 0, output = 0, cacheRead = 0, cacheWrite = 0]) =>
    modelOf({
      id,
      name,
      provider,
      ...providers[provider],
      contextWindow,
      maxTokens,
      cost: { input, output, cacheRead, cacheWrite },
    }),
)

const waitMs = 2000
/** Models that return vectors, not text. */
const embedding = /embed|minilm|^e5-|bge-|gte-/i

/**
 * Asks the servers of the setting `localServers` for their models. A server that does not answer has none.
 */
async function probeLocalServers(config: PigletConfig, fetcher: typeof fetch): Promise<ChatModel[]> {
  const found = await Promise.all(
    config
      .texts('localServers')
      .map((url) => probe(url.replace(/\/+$/, ''), config, fetcher).catch(() => [])),
  )
  return found.flat()
}

async function probe(baseUrl: string, config: PigletConfig, fetcher: typeof fetch): Promise<ChatModel[]> {
  const answer = await fetcher(`${/\/v\d+$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1`}/models`, {
    signal: AbortSignal.timeout(waitMs),
  })
  if (!answer.ok) return []
  const list = asArray(asObject(await answer.json())?.data)
  return list.flatMap((item) => {
    const [id, owner] = [asString(asObject(item)?.id), asString(asObject(item)?.owned_by) ?? '']
    if (!id || embedding.test(id)) return []
    return [
      modelOf({
        id,
        provider: providerOf(owner, baseUrl),
        baseUrl,
        contextWindow: config.number('localDefaults.contextWindow', 8192),
        maxTokens: config.number('localDefaults.maxTokens', 4096),
      }),
    ]
  })
}

function providerOf(owner: string, baseUrl: string): string {
  if (/lm.?studio/i.test(owner) || baseUrl.endsWith(':1234')) return 'lmstudio'
  return baseUrl.endsWith(':11434') ? 'ollama' : 'local'
}
