// Usage that an agent keeps as a running total in a file beside its transcript: only what exceeds what was counted is new.
import { formatTokens, parseTokens } from '../checkpoints/token-record.ts'
import type { TranscriptUpdate } from '../checkpoints/transcript-store.ts'
import type { Agent, TranscriptReading } from '../model/agent.ts'
import { beyond, noTokens, type TokenUsage } from '../model/tokens.ts'
import { fileSize, readText } from '../std/file.ts'
import { readPrePrompt } from './pre-prompt.ts'
import type { Work } from './work.ts'

const maxBytes = 4 * 1024 * 1024

type Totals = Pick<TranscriptReading, 'tokens' | 'model'>

/** Undefined for agents that keep none, and while there are none. */
export function readTotals({ transcript: { totals } }: Agent, transcript: string | undefined): Totals | undefined {
  if (totals === undefined || transcript === undefined) return undefined
  const path = totals.path(transcript)
  return (fileSize(path) ?? maxBytes) < maxBytes ? totals.parse(readText(path) ?? '') : undefined
}

/** What the total grew by, and the update that remembers it. Nothing for agents without totals. */
export function countTotals(
  { recorder, agent, session }: Pick<Work, 'recorder' | 'agent' | 'session'>,
  path: string,
  { cursor, reading, restarted }: TranscriptUpdate,
): { update: TranscriptUpdate; growth?: TokenUsage } {
  const totals = readTotals(agent, path)
  if (totals === undefined) return { update: { cursor, reading, restarted } }
  // Before the first look nothing was counted, and what came before the turn does not count.
  const counted =
    parseTokens(session.cursor?.carry?.totals) ?? session.tokens ?? readPrePrompt(recorder.repo, session.id)?.totals ?? noTokens
  return {
    update: {
      cursor: { ...cursor, carry: { ...cursor.carry, totals: formatTokens(totals.tokens) } },
      reading: { ...totals, ...reading },
      restarted,
    },
    growth: beyond(totals.tokens, hasShrunk(totals.tokens, counted) ? noTokens : counted),
  }
}

// Another file by the same name: one that was restored, or that the agent began anew.
function hasShrunk(total: TokenUsage, counted: TokenUsage): boolean {
  return total.input < counted.input || total.output < counted.output || total.cacheRead < counted.cacheRead
}
