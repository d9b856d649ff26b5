// Token counts in their file form.
import { addTokens, hasTokens, noTokens, type TokenUsage } from '../model/tokens.ts'
import { asNumber, asObject, type JsonObject } from '../std/json.ts'

export function formatTokens(usage: TokenUsage): JsonObject {
  return {
    input_tokens: usage.input,
    cache_creation_tokens: usage.cacheCreation,
    cache_read_tokens: usage.cacheRead,
    output_tokens: usage.output,
    api_call_count: usage.calls,
    ...(hasTokens(usage.subagents) ? { subagent_tokens: formatTokens(usage.subagents) } : {}),
  }
}

export function parseTokens(value: unknown): TokenUsage | undefined {
  const record = asObject(value)
  if (record === undefined) return undefined
  const subagents = parseTokens(record.subagent_tokens)
  return {
    input: asNumber(record.input_tokens) ?? 0,
    cacheCreation: asNumber(record.cache_creation_tokens) ?? 0,
    cacheRead: asNumber(record.cache_read_tokens) ?? 0,
    output: asNumber(record.output_tokens) ?? 0,
    calls: asNumber(record.api_call_count) ?? 0,
    ...(subagents === undefined ? {} : { subagents }),
  }
}

export function sumTokens(usages: (TokenUsage | undefined)[]): TokenUsage | undefined {
  const sum = usages.filter((usage) => usage !== undefined).reduce(addTokens, noTokens)
  return hasTokens(sum) ? sum : undefined
}
