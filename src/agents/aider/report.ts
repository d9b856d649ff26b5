// What aider reports in its own lines: tokens, edits, commits, the model.
import type { TokenUsage } from '../../model/tokens.ts'

/** Counts of one answer; they start again with each. What was sent includes what the cache took or gave. */
export function parseTokens(report: string): TokenUsage | undefined {
  const counts =
    /^Tokens: (?<sent>\S+) sent(?:, (?<write>\S+) cache write)?(?:, (?<hit>\S+) cache hit)?, (?<received>[\d.,]*\d[kM]?) received/.exec(
      report,
    )?.groups
  if (counts === undefined) return undefined
  const [cacheCreation, cacheRead] = [parseCount(counts.write), parseCount(counts.hit)]
  const input = Math.max(0, parseCount(counts.sent) - cacheCreation - cacheRead)
  return { input, cacheCreation, cacheRead, output: parseCount(counts.received), calls: 1 }
}

const factors: Record<string, number> = { k: 1_000, M: 1_000_000 }

/** `730`, `1,234`, `1.2k`, `16k`, `2.5M`. */
function parseCount(text: string | undefined): number {
  const [, number = '0', suffix = ''] = /^([\d.,]+)([kM]?)$/.exec(text ?? '') ?? []
  return Math.round(Number(number.replaceAll(',', '')) * (factors[suffix] ?? 1)) || 0
}

export function parseEdit(report: string): string | undefined {
  return /^Applied edit to (.+)$/.exec(report)?.[1]
}

export function parseCommit(report: string): { commit: string; subject: string } | undefined {
  const [, commit, subject] = /^Commit ([0-9a-f]{7,64}) (.*)$/.exec(report) ?? []
  return commit === undefined || subject === undefined ? undefined : { commit, subject }
}

/** The one that answers: others write commit messages or apply edits. */
export function parseModel(report: string): string | undefined {
  return /^(?:Main model|Models?): (\S+) with \S+ edit format/.exec(report)?.[1]
}
