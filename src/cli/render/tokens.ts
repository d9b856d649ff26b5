// Numbers of tokens, short enough to read.
import { type TokenUsage, totalTokens } from '../../model/tokens.ts'

/** `950`, `1.2k`, `12k`, `3.4M`. */
export function formatCount(count: number): string {
  if (count < 1000) return String(count)
  // What would round to a thousand thousands is a million.
  const [value, unit] = count < 999_950 ? [count / 1000, 'k'] : [count / 1_000_000, 'M']
  return `${value.toFixed(1).replace(/\.0$/, '')}${unit}`
}

export function tokensText(usage: TokenUsage | undefined): string | undefined {
  const total = usage === undefined ? 0 : totalTokens(usage)
  return total > 0 ? formatCount(total) : undefined
}
