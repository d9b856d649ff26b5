// Models that are known without anybody writing them down.
import { type ModelEntry, modelOf } from './model.ts'

const makers: Record<string, Pick<ModelEntry, 'api' | 'baseUrl'>> = {
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

export const knownModels = rows.map(
  ([provider, id, name, contextWindow, maxTokens, input = 0, output = 0, cacheRead = 0, cacheWrite = 0]) =>
    modelOf({ id, name, provider, ...makers[provider], contextWindow, maxTokens, cost: { input, output, cacheRead, cacheWrite } }),
)
