// Reads one session of Aider's chat history.

import type { TranscriptEntry, TranscriptFormat } from '../../model/agent.ts'
import { addTokens, noTokens } from '../../model/tokens.ts'
import { given } from '../../std/given.ts'
import { asString } from '../../std/json.ts'
import {
  aiderPromptOf,
  type HistoryPiece,
  parseCommitReport,
  parseEditReport,
  parseHistory,
  parseModelReport,
  parseUsageReport,
} from './history.ts'

export const aiderTranscript: TranscriptFormat = {
  shape: () => 'lines',

  readLines(lines, before) {
    const { pieces, carry } = parseHistory(lines, before)
    const reports = pieces.flatMap((piece) => (piece.kind === 'report' ? piece.text : []))
    const all = <T>(parse: (text: string) => T | undefined) => reports.flatMap((text) => parse(text) ?? [])
    return {
      items: lines.length,
      prompts: pieces.flatMap((piece) => (piece.kind === 'input' ? (aiderPromptOf(piece.text) ?? []) : [])),
      files: [...new Set(all(parseEditReport))],
      tokens: all(parseUsageReport).reduce(addTokens, noTokens),
      subagents: [],
      // Aider names the model when it starts; a later stretch knows it from the carry.
      ...given({
        summary: lastAnswer(pieces),
        model: all(parseModelReport).at(-1) ?? asString(before?.model),
      }),
      carry: { ...carry, ...given({ model: all(parseModelReport).at(-1) ?? asString(before?.model) }) },
    }
  },

  readEntries(text, from) {
    const { pieces } = parseHistory(text.split('\n'), undefined)
    return joinAnswers(pieces.filter((piece) => piece.line >= from).flatMap(entryOf))
  },
}

function entryOf(piece: HistoryPiece): TranscriptEntry | [] {
  if (piece.kind === 'start') return []
  if (piece.kind === 'answer') return { role: 'assistant', text: piece.text }
  if (piece.kind === 'input') {
    const prompt = aiderPromptOf(piece.text)
    return prompt === undefined ? [] : { role: 'user', text: prompt }
  }
  const [edit, commit] = [parseEditReport(piece.text), parseCommitReport(piece.text)]
  // Text after the usage belongs to the next answer.
  if (parseUsageReport(piece.text) !== undefined) return { role: 'tool', text: '' }
  if (edit !== undefined) return { role: 'tool', name: 'edit', text: edit }
  return commit === undefined ? [] : { role: 'tool', name: 'commit', text: commit.subject }
}

function joinAnswers(entries: TranscriptEntry[]): TranscriptEntry[] {
  const joined: TranscriptEntry[] = []
  for (const entry of entries) {
    const last = joined.at(-1)
    if (entry.role === 'assistant' && last?.role === 'assistant') last.text += `\n${entry.text}`
    else joined.push({ ...entry })
  }
  for (const entry of joined) entry.text = entry.text.trim()
  return joined.filter(({ text }) => text !== '')
}

function lastAnswer(pieces: HistoryPiece[]): string | undefined {
  return joinAnswers(pieces.flatMap(entryOf)).findLast(({ role }) => role === 'assistant')?.text
}
