// Cursor's transcript: a line for each message, with its role. It has no ids, no times, no usage and no results of tools.
import type { TranscriptEntry, TranscriptFormat, TranscriptReading } from '../../model/agent.ts'
import { noTokens } from '../../model/tokens.ts'
import { EntireError } from '../../std/errors.ts'
import { asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { asText } from '../shared/hook-table.ts'
import { blocksOf, cleanPrompt, joinTexts, toolDetail } from '../shared/message-text.ts'

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
        const prompt = typedText(joinTexts(blocksOf(message)) ?? '')
        if (prompt !== undefined) reading.prompts.push(prompt)
      }
      if (message?.role !== 'assistant') continue
      const said = joinTexts(blocksOf(message))?.trim()
      if (said) reading.summary = said
      reading.files.push(...writtenFiles(message))
    }
    return { ...reading, files: [...new Set(reading.files)] }
  },

  readEntries(transcript, from) {
    const messages = transcript.split('\n').map((line) => asObject(parseJson(line)))
    if (transcript.trim() !== '' && messages.every((message) => message === undefined))
      throw new EntireError('corrupt-state', 'The transcript has no line that is JSON.')
    return messages.slice(from).flatMap((message) => (message === undefined ? [] : entriesOf(message)))
  },
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
    const prompt = typedText(joinTexts(blocksOf(message)) ?? '')
    return prompt === undefined ? [] : [{ role: 'user', text: prompt }]
  }
  if (message.role !== 'assistant') return []
  return blocksOf(message).flatMap((block): TranscriptEntry[] => {
    if (block.type === 'tool_use')
      return [{ role: 'tool', name: asText(block.name) ?? 'unknown', text: toolDetail(block.input) }]
    const said = block.type === 'text' ? asText(block.text)?.trim() : undefined
    return said ? [{ role: 'assistant', text: said }] : []
  })
}

// What the user typed in Cursor: in transcripts it stands in a tag, among what the editor adds about open files and the time.

const query = /<user_query>([\s\S]*?)<\/user_query>/g
const time = /^\s*<timestamp>[\s\S]*?<\/timestamp>/

export function typedText(text: string): string | undefined {
  const queries = [...text.matchAll(query)].map(([, typed]) => (typed as string).trim())
  return cleanPrompt(queries.length > 0 ? queries.join('\n\n') : text.replace(time, ''))
}
