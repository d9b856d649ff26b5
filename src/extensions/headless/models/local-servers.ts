// Models that run on this machine or nearby: their servers are asked what they have.
import { asArray, asObject, asString } from '../../../std/json.ts'
import type { Config } from '../settings/config.ts'
import { type Model, modelOf } from './model.ts'

const waitMs = 2000
/** Models that answer with numbers only. */
const embedding = /embed|minilm|^e5-|bge-|gte-/i

/** Servers that do not answer have none. */
export async function probeLocalServers(config: Config, fetcher: typeof fetch): Promise<Model[]> {
  const found = await Promise.all(
    config.texts('localServers').map((url) => probe(url.replace(/\/+$/, ''), config, fetcher).catch(() => [])),
  )
  return found.flat()
}

async function probe(baseUrl: string, config: Config, fetcher: typeof fetch): Promise<Model[]> {
  const answer = await fetcher(`${/\/v\d+$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1`}/models`, { signal: AbortSignal.timeout(waitMs) })
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
