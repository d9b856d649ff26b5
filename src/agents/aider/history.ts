// Aider's chat history: Markdown in which aider's own lines end with two spaces. That tells what the user typed (`#### …`) and what aider
// reports (`> …`) from headings and quotes in an answer.

import type { TokenUsage } from '../../model/tokens.ts'
import type { JsonObject } from '../../std/json.ts'

export type HistoryPiece = { line: number } & (
  | { kind: 'start'; time: string }
  /** What the user typed, however many lines. */
  | { kind: 'input'; text: string }
  /** A line of aider's. */
  | { kind: 'report'; text: string }
  /** A line of the answer. */
  | { kind: 'answer'; text: string }
)

const started = /^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)$/
const input = /^####(?: (.*?))? {2}$/
const report = /^> (.*?) {2}$/
// A message of several lines has the two spaces after its last one.
const longCommit = /^> (Commit [0-9a-f]{7,64} .*)$/

/**
 * `carry.typing`: the last line before these was typed, so that what follows it at once belongs to it. `carry.starting`: aider has not
 * introduced itself yet; until then it repeats its command line, with prompts of many lines in it.
 */
export function parseHistory(
  lines: string[],
  carry: JsonObject | undefined,
): { pieces: HistoryPiece[]; carry: JsonObject } {
  const pieces: HistoryPiece[] = []
  let typed: { kind: 'input'; line: number; text: string } | undefined
  let isTyping = carry?.typing === true
  let isStarting = carry?.starting === true
  for (const [line, raw] of lines.entries()) {
    const text = raw.replace(/\r$/, '')
    const match = input.exec(text)
    if (match !== null) {
      const words = match[1] ?? ''
      if (typed !== undefined) typed.text += `\n${words}`
      else if (!isTyping) {
        typed = { kind: 'input', line, text: words }
        pieces.push(typed)
      }
      isTyping = true
      isStarting = false
      continue
    }
    isTyping = false
    typed = undefined
    const piece = parseLine(text)
    if (piece.kind === 'start') isStarting = true
    if (piece.kind === 'report' && piece.text.startsWith('Aider v')) isStarting = false
    if (!isStarting || piece.kind !== 'answer') pieces.push({ line, ...piece })
  }
  return { pieces, carry: { typing: isTyping, starting: isStarting } }
}

function parseLine(
  text: string,
): { kind: 'start'; time: string } | { kind: 'report' | 'answer'; text: string } {
  const time = started.exec(text)?.[1]
  if (time !== undefined) return { kind: 'start', time }
  const said = (report.exec(text) ?? longCommit.exec(text))?.[1]
  return said === undefined ? { kind: 'answer', text } : { kind: 'report', text: said }
}

/** Commands that only choose who answers; what follows them is a question. */
const asking = /^\/(?:ask|code|architect|context|help)\s+(?=\S)/
// Answers to questions of aider's are written down like prompts when one answer goes for several questions.
const confirmation = /\(Y\)es\/\(N\)o.*\]: \S+$/

/** What the model is asked; undefined for commands to aider itself, for shell commands, and for nothing. */
export function promptOf(typed: string): string | undefined {
  const text = typed.trim().replace(asking, '')
  return text === '' || text === '<blank>' || /^[/!]/.test(text) || confirmation.test(text) ? undefined : text
}

// What aider reports in its own lines: tokens, edits, commits, the model.

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
