// All models there are: those of the user's list, or the known ones, and those of servers nearby.
import { join } from 'node:path'
import { parseDocument } from 'yaml'
import type { Params, SentResult } from '../../../protocol/extension.ts'
import { EntireError } from '../../../std/errors.ts'
import { readText, writeAtomic } from '../../../std/file.ts'
import type { Config } from '../settings/config.ts'
import { knownModels } from './known-models.ts'
import { probeLocalServers } from './local-servers.ts'
import { keyOf, type Model, parseModels } from './model.ts'

export type ModelList = ReturnType<typeof createModelList>
type Overrides = NonNullable<Params<'host/writeModels'>['overrides']>

export function createModelList(options: { configDir: string; config(): Config; fetch: typeof fetch }) {
  const path = join(options.configDir, 'models.yaml')
  let listed = read()
  let nearby: Model[] = []

  function read(): Model[] {
    const text = readText(path)
    return text === undefined ? knownModels : parseModels(text, path)
  }

  // The address of a provider may be one of the user's own.
  const all = (): Model[] => {
    const config = options.config()
    return [...new Map([...nearby, ...listed].map((model) => [keyOf(model).toLowerCase(), model])).values()].map((model) => ({
      ...model,
      baseUrl: config.text(`providers.${model.provider}`) || model.baseUrl,
    }))
  }

  return {
    all,
    /** How many are new or other than before. */
    async sync(): Promise<number> {
      const before = new Set(all().map((model) => JSON.stringify(model)))
      listed = read()
      nearby = await probeLocalServers(options.config(), options.fetch)
      return all().filter((model) => !before.has(JSON.stringify(model))).length
    },
    /** The known ones with these changes, and everything the user added. */
    write(overrides: Overrides): number {
      const changes = new Map(Object.entries(overrides).map(([key, change]) => [key.toLowerCase(), change]))
      const known = new Set(knownModels.map(keyOf))
      const models = [...knownModels, ...read().filter((model) => !known.has(keyOf(model)))].map((model) => {
        const { name, contextWindow, maxTokens } = changes.get(keyOf(model).toLowerCase()) ?? {}
        return {
          ...model,
          name: name || model.name,
          contextWindow: contextWindow || model.contextWindow,
          maxTokens: maxTokens || model.maxTokens,
        }
      })
      const document = parseDocument(readText(path) ?? '')
      if (document.errors[0]) throw new EntireError('bad-settings', `${path}: ${document.errors[0].message}`)
      const content = Array.isArray(document.toJS()) ? {} : ((document.toJS() as object | null) ?? {})
      const written = parseDocument('')
      for (const [key, value] of Object.entries({ ...content, models })) written.set(key, value)
      writeAtomic(path, written.toString(), { mode: 0o600 })
      listed = read()
      return models.length
    },
  }
}

export function modelInfos(models: Model[], current: string): NonNullable<SentResult<'host/availableModels'>['models']> {
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
    current: keyOf(model) === current,
  }))
}
