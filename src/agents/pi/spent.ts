// Usage as Pi writes it: the input is without what came from the cache.
import type { TokenUsage } from '../../model/tokens.ts'
import { asNumber, type JsonObject } from '../../std/json.ts'

export function countOf(usage: JsonObject | undefined, calls: number): TokenUsage {
  const count = (field: string) => Math.max(0, asNumber(usage?.[field]) ?? 0)
  return { input: count('input'), cacheCreation: count('cacheWrite'), cacheRead: count('cacheRead'), output: count('output'), calls }
}

/** An answer that failed has counts, all of them zero. */
export function isSpent({ input, cacheCreation, cacheRead, output }: TokenUsage): boolean {
  return input + cacheCreation + cacheRead + output > 0
}
