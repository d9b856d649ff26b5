// Adds and subtracts the token counts of parts of a transcript.
import { given } from '../std/given.ts'

export interface TokenUsage {
  input: number
  cacheCreation: number
  cacheRead: number
  output: number
  calls: number
  subagents?: TokenUsage
}

export const noTokens: TokenUsage = { input: 0, cacheCreation: 0, cacheRead: 0, output: 0, calls: 0 }

export function addTokens(a: TokenUsage, b: TokenUsage): TokenUsage {
  const sum: TokenUsage = {
    input: a.input + b.input,
    cacheCreation: a.cacheCreation + b.cacheCreation,
    cacheRead: a.cacheRead + b.cacheRead,
    output: a.output + b.output,
    calls: a.calls + b.calls,
  }
  if (a.subagents || b.subagents) sum.subagents = addTokens(a.subagents ?? noTokens, b.subagents ?? noTokens)
  return sum
}

export function hasTokens(usage: TokenUsage | undefined): usage is TokenUsage {
  return usage !== undefined && (usage.calls > 0 || hasTokens(usage.subagents))
}

/** The part of a total that was not counted before. */
export function subtractTokens(total: TokenUsage, counted: TokenUsage = noTokens): TokenUsage {
  const rest = (a: number, b: number) => Math.max(0, a - b)
  const subagents = total.subagents && subtractTokens(total.subagents, counted.subagents)
  return {
    input: rest(total.input, counted.input),
    cacheCreation: rest(total.cacheCreation, counted.cacheCreation),
    cacheRead: rest(total.cacheRead, counted.cacheRead),
    output: rest(total.output, counted.output),
    calls: rest(total.calls, counted.calls),
    ...given({ subagents }),
  }
}

/** Everything the model read and wrote, subagents included. */
export function totalTokens(usage: TokenUsage): number {
  const own = usage.input + usage.cacheCreation + usage.cacheRead + usage.output
  return own + (usage.subagents ? totalTokens(usage.subagents) : 0)
}
