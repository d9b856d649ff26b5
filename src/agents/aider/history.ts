// Parses the chat history of Aider: Markdown in which Aider's own lines end with two spaces. That
// distinguishes what the user typed (`#### …`) and what Aider reports (`> …`) from headings and quotes in an
// answer.

import type { TokenUsage } from '../../model/tokens.ts'
import type { JsonObject } from '../../std/json.ts'

export type HistoryPiece = { line: number } & (
  | { kind: 'start'; time: string }
  /** What the user typed, all lines of it. */
  | { kind: 'input'; text: string }
  /** A line that Aider reports. */
  | { kind: 'report'; text: string }
  /** A line of the answer. */
  | { kind: 'answer'; text: string }
)

const started = /^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)$/
const input = /^####(?: (.*?))? {2}$/
const report = /^> (.*?) {2}$/
// A commit message of several lines has the two spaces after its last line.
const longCommit = /^> (Commit [0-9a-f]{7,64} .*)$/

/**
 * `carry.typing`: the line before these was typed, so typed lines that follow belong to it. `carry.starting`:
 * Aider has not printed its version yet; until then it repeats its command line, which may have prompts of
 * many lines.
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
      const typedLine = match[1] ?? ''
      if (typed !== undefined) typed.text += `\n${typedLine}`
      else if (!isTyping) {
        typed = { kind: 'input', line, text: typedLine }
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
  const reported = (report.exec(text) ?? longCommit.exec(text))?.[1]
  return reported === undefined ? { kind: 'answer', text } : { kind: 'report', text: reported }
}

/** Commands that choose the mode; what follows them is a prompt. */
const modeCommand = /^\/(?:ask|code|architect|context|help)\s+(?=\S)/
// An answer to several questions of Aider at once is written like a prompt.
const isConfirmation = (text: string) => text.includes('(Y)es/(N)o') && /\]: \S+$/.test(text)

/** What the model is asked; undefined for commands of Aider, shell commands, and empty input. */
export function aiderPromptOf(typed: string): string | undefined {
  const text = typed.trim().replace(modeCommand, '')
  return text === '' || text === '<blank>' || /^[/!]/.test(text) || isConfirmation(text) ? undefined : text
}

/** The usage of one answer. Sent tokens include those read from and written to the cache. */
export function parseUsageReport(report: string): TokenUsage | undefined {
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

export function parseEditReport(report: string): string | undefined {
  return /^Applied edit to (.+)$/.exec(report)?.[1]
}

export function parseCommitReport(report: string): { commit: string; subject: string } | undefined {
  const [, commit, subject] = /^Commit ([0-9a-f]{7,64}) (.*)$/.exec(report) ?? []
  return commit === undefined || subject === undefined ? undefined : { commit, subject }
}

/** The model that answers: others write commit messages or apply edits. */
export function parseModelReport(report: string): string | undefined {
  return /^(?:Main model|Models?): (\S+) with \S+ edit format/.exec(report)?.[1]
}
