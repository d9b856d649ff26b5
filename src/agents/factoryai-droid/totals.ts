// Droid's usage: a running total in the settings of the session, beside its transcript.
import type { UsageTotals } from '../../model/agent.ts'
import { beyond, noTokens, type TokenUsage, totalTokens } from '../../model/tokens.ts'
import { asCount, asObject, parseJson } from '../../std/json.ts'
import { given } from '../hook-table.ts'
import { modelName } from './message.ts'

export const droidTotals: UsageTotals = {
  path: (transcript) => transcript.replace(/\.jsonl$/, '.settings.json'),

  parse(text) {
    const settings = asObject(parseJson(text))
    const own = settings && parseUsage(settings.tokenUsage)
    if (settings === undefined || own === undefined) return undefined
    // Subagents are sessions of their own; how often they called the model is not said, but each did at least once.
    const subagents = beyond(parseUsage(settings.inclusiveTokenUsage) ?? noTokens, own)
    const children = Object.keys(asObject(settings.childInclusiveTokenUsageBySessionId) ?? {}).length
    const tokens = totalTokens(subagents) === 0 ? own : { ...own, subagents: { ...subagents, calls: Math.max(children, 1) } }
    return { tokens, ...given({ model: modelName(settings.model) }) }
  },
}

function parseUsage(value: unknown): TokenUsage | undefined {
  const usage = asObject(value)
  return (
    usage && {
      input: asCount(usage.inputTokens),
      cacheCreation: asCount(usage.cacheCreationTokens),
      cacheRead: asCount(usage.cacheReadTokens),
      output: asCount(usage.outputTokens),
      calls: 0,
    }
  )
}
