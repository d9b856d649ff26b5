// Tokens of a rollout. Each request to the model is recorded once by its id; the running total that is told besides, sometimes twice, is
// only used where older versions wrote nothing else.
import type { TokenUsage } from '../../model/tokens.ts'
import { asCount, asObject, type JsonObject } from '../../std/json.ts'
import { text } from '../hook-table.ts'
import { type MessageTally, messageTally } from '../message-tally.ts'

export interface UsageMeter extends Pick<MessageTally, 'tokens' | 'carry'> {
  record(payload: JsonObject, at: string): void
  total(info: JsonObject | undefined): void
}

const fields = ['input_tokens', 'cached_input_tokens', 'cache_write_input_tokens', 'output_tokens'] as const
type Counts = Record<(typeof fields)[number], number>

export function usageMeter(carry: JsonObject | undefined): UsageMeter {
  const tally = messageTally(carry)
  let hasRecords = carry?.records === true
  let last = carry?.total === undefined ? undefined : countsOf(asObject(carry.total))

  return {
    tokens: tally.tokens,
    record(payload, at) {
      hasRecords = true
      const id = text(payload.response_id)
      if (id === undefined || tally.meet(id, at) !== 'old') tally.count(id, usageOf(countsOf(asObject(payload.usage))))
    },
    total(info) {
      const total = asObject(info?.total_token_usage)
      if (hasRecords || total === undefined) return
      const now = countsOf(total)
      // A thread that goes on from another one begins with the other's total.
      const before = last ?? subtract(now, countsOf(asObject(info?.last_token_usage)))
      last = now
      const more = usageOf(subtract(now, fields.some((field) => now[field] < before[field]) ? countsOf(undefined) : before))
      if (more.input + more.cacheCreation + more.cacheRead + more.output > 0) tally.count(undefined, more)
    },
    carry: () => ({ ...tally.carry(), ...(hasRecords ? { records: true } : {}), ...(last === undefined ? {} : { total: last }) }),
  }
}

/** The input includes what came from the cache and what went into it; the output includes the reasoning. */
function usageOf(counts: Counts): TokenUsage {
  const cacheRead = counts.cached_input_tokens
  const cacheCreation = counts.cache_write_input_tokens
  return {
    input: Math.max(0, counts.input_tokens - cacheRead - cacheCreation),
    cacheCreation,
    cacheRead,
    output: counts.output_tokens,
    calls: 1,
  }
}

function countsOf(usage: JsonObject | undefined): Counts {
  return Object.fromEntries(fields.map((field) => [field, asCount(usage?.[field])])) as Counts
}

function subtract(a: Counts, b: Counts): Counts {
  return Object.fromEntries(fields.map((field) => [field, Math.max(0, a[field] - b[field])])) as Counts
}
