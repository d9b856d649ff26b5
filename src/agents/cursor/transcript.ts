// Reads the transcript of Cursor: a JSON line for each message, without ids, times, usage and results of
// tools.

import type { TranscriptEntry, TranscriptFormat, TranscriptReading } from '../../model/agent.ts'
import { noTokens } from '../../model/tokens.ts'
import { asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { asText } from '../shared/hook-table.ts'
import { blocksOf, cleanPrompt, joinTexts, parseTranscriptLines, toolDetail } from '../shared/message-text.ts'
import { findTagged } from '../shared/tagged-blocks.ts'

const writingTools = new Set(['Write', 'StrReplace'])

export const cursorTranscript: TranscriptFormat = {
  shape: () => 'lines',

  readLines(lines) {
    const reading: TranscriptReading = {
      items: lines.length,
      files: [],
      prompts: [],
      tokens: noTokens,
      subagents: [],
    }
    for (const line of lines) {
      const message = asObject(parseJson(line))
      if (message?.role === 'user') {
        const prompt = cleanCursorPrompt(joinTexts(blocksOf(message)) ?? '')
        if (prompt !== undefined) reading.prompts.push(prompt)
      }
      if (message?.role !== 'assistant') continue
      const answer = joinTexts(blocksOf(message))?.trim()
      if (answer) reading.summary = answer
      reading.files.push(...writtenFiles(message))
    }
    return { ...reading, files: [...new Set(reading.files)] }
  },

  readEntries: (transcript, from) =>
    parseTranscriptLines(transcript)
      .slice(from)
      .flatMap((message) => (message === undefined ? [] : entriesOf(message))),
}

function writtenFiles(message: JsonObject): string[] {
  return blocksOf(message).flatMap((block) => {
    const file =
      block.type === 'tool_use' && writingTools.has(asText(block.name) ?? '')
        ? asText(asObject(block.input)?.path)
        : undefined
    return file ?? []
  })
}

function entriesOf(message: JsonObject): TranscriptEntry[] {
  if (message.role === 'user') {
    const prompt = cleanCursorPrompt(joinTexts(blocksOf(message)) ?? '')
    return prompt === undefined ? [] : [{ role: 'user', text: prompt }]
  }
  if (message.role !== 'assistant') return []
  return blocksOf(message).flatMap((block): TranscriptEntry[] => {
    if (block.type === 'tool_use')
      return [{ role: 'tool', name: asText(block.name) ?? 'unknown', text: toolDetail(block.input) }]
    const text = block.type === 'text' ? asText(block.text)?.trim() : undefined
    return text ? [{ role: 'assistant', text }] : []
  })
}

const time = /^\s*<timestamp>[\s\S]*?<\/timestamp>/

/**
 * What the user typed: in transcripts it is in a tag, and the editor adds open files and the time around it.
 */
export function cleanCursorPrompt(text: string): string | undefined {
  const queries = findTagged(text, (name) => name === 'user_query').map(({ inner }) => inner.trim())
  return cleanPrompt(queries.length > 0 ? queries.join('\n\n') : text.replace(time, ''))
}
