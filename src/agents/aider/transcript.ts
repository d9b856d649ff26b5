// Reads one session of aider's chat history.
import type { TranscriptEntry, TranscriptFormat } from '../../model/agent.ts'
import { addTokens, noTokens } from '../../model/tokens.ts'
import { given } from '../../std/given.ts'
import { asString } from '../../std/json.ts'
import {
  type HistoryPiece,
  parseCommit,
  parseEdit,
  parseHistory,
  parseModel,
  parseTokens,
  promptOf,
} from './history.ts'

export const aiderTranscript: TranscriptFormat = {
  shape: () => 'lines',

  readLines(lines, before) {
    const { pieces, carry } = parseHistory(lines, before)
    const reports = pieces.flatMap((piece) => (piece.kind === 'report' ? piece.text : []))
    const all = <T>(parse: (text: string) => T | undefined) => reports.flatMap((text) => parse(text) ?? [])
    return {
      items: lines.length,
      prompts: pieces.flatMap((piece) => (piece.kind === 'input' ? (promptOf(piece.text) ?? []) : [])),
      files: [...new Set(all(parseEdit))],
      tokens: all(parseTokens).reduce(addTokens, noTokens),
      subagents: [],
      // The model is named when aider starts; a save that reads on from there knows it already.
      ...given({ summary: lastAnswer(pieces), model: all(parseModel).at(-1) ?? asString(before?.model) }),
      carry: { ...carry, ...given({ model: all(parseModel).at(-1) ?? asString(before?.model) }) },
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
    const prompt = promptOf(piece.text)
    return prompt === undefined ? [] : { role: 'user', text: prompt }
  }
  const [edit, commit] = [parseEdit(piece.text), parseCommit(piece.text)]
  // What comes after the count is another answer.
  if (parseTokens(piece.text) !== undefined) return { role: 'tool', text: '' }
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
