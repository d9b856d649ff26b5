// Formats and parses the token counts of stored records.

import { addTokens, hasTokens, noTokens, type TokenUsage } from '../model/tokens.ts'
import { given } from '../std/given.ts'
import { asCount, asObject, type JsonObject } from '../std/json.ts'

export function formatTokenRecord(usage: TokenUsage): JsonObject {
  return {
    input_tokens: usage.input,
    cache_creation_tokens: usage.cacheCreation,
    cache_read_tokens: usage.cacheRead,
    output_tokens: usage.output,
    api_call_count: usage.calls,
    ...(hasTokens(usage.subagents) ? { subagent_tokens: formatTokenRecord(usage.subagents) } : {}),
  }
}

export function parseTokenRecord(value: unknown): TokenUsage | undefined {
  const record = asObject(value)
  if (record === undefined) return undefined
  const subagents = parseTokenRecord(record.subagent_tokens)
  return {
    input: asCount(record.input_tokens),
    // Some writers use the field names of the model's API.
    cacheCreation: asCount(record.cache_creation_tokens) || asCount(record.cache_creation_input_tokens),
    cacheRead: asCount(record.cache_read_tokens) || asCount(record.cache_read_input_tokens),
    output: asCount(record.output_tokens),
    calls: asCount(record.api_call_count),
    ...given({ subagents }),
  }
}

export function sumTokens(usages: (TokenUsage | undefined)[]): TokenUsage | undefined {
  const sum = usages.filter((usage) => usage !== undefined).reduce(addTokens, noTokens)
  return hasTokens(sum) ? sum : undefined
}
