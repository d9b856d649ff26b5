// Counts the tokens of a rollout. Each request to the model is recorded once under its id; the running total,
// which is written as well and sometimes twice, is used only where older versions wrote nothing else.
import type { TokenUsage } from '../../model/tokens.ts'
import { given } from '../../std/given.ts'
import { asCount, asObject, type JsonObject } from '../../std/json.ts'
import { asText } from '../shared/hook-table.ts'
import { type MessageTally, messageTally } from '../shared/message-tally.ts'

export interface UsageMeter extends Pick<MessageTally, 'tokens' | 'carry'> {
  /** A request to the model. */
  record(payload: JsonObject, at: string): void
  /** The running total. */
  total(info: JsonObject | undefined): void
}

const fields = ['input_tokens', 'cached_input_tokens', 'cache_write_input_tokens', 'output_tokens'] as const
type Counts = Record<(typeof fields)[number], number>

export function usageMeter(carry: JsonObject | undefined): UsageMeter {
  const tally = messageTally(carry)
  let hasRecords = carry?.records === true
  let lastTotal = carry?.total === undefined ? undefined : countsOf(asObject(carry.total))

  return {
    tokens: tally.tokens,
    record(payload, at) {
      hasRecords = true
      const id = asText(payload.response_id)
      if (id === undefined || tally.meet(id, at) !== 'old')
        tally.count(id, usageOf(countsOf(asObject(payload.usage))))
    },
    total(info) {
      const total = asObject(info?.total_token_usage)
      if (hasRecords || total === undefined) return
      const now = countsOf(total)
      // A thread that continues another one begins with the total of the other.
      const before = lastTotal ?? subtract(now, countsOf(asObject(info?.last_token_usage)))
      lastTotal = now
      const more = usageOf(
        subtract(now, fields.some((field) => now[field] < before[field]) ? countsOf(undefined) : before),
      )
      if (more.input + more.cacheCreation + more.cacheRead + more.output > 0) tally.count(undefined, more)
    },
    carry: () => ({
      ...tally.carry(),
      ...(hasRecords ? { records: true } : {}),
      ...given({ total: lastTotal }),
    }),
  }
}

/** The input includes tokens read from and written to the cache; the output includes the reasoning. */
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
