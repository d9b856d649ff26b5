// What the parts of a transcript say, taken together.
import type { TranscriptReading } from '../model/agent.ts'
import { addTokens, noTokens } from '../model/tokens.ts'

export function mergeReadings(a: TranscriptReading, b: TranscriptReading): TranscriptReading {
  return {
    ...a,
    ...b,
    items: a.items + b.items,
    files: [...new Set([...a.files, ...b.files])],
    prompts: [...a.prompts, ...b.prompts],
    tokens: addTokens(a.tokens, b.tokens),
    subagents: [...a.subagents, ...b.subagents],
  }
}

export function emptyReading(carry: TranscriptReading['carry']): TranscriptReading {
  return { items: 0, files: [], prompts: [], tokens: noTokens, subagents: [], ...(carry === undefined ? {} : { carry }) }
}
