// The conversation of a Claude Code transcript, for people to read.
import type { TranscriptEntry } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import { asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { text } from '../hook-table.ts'
import { cleanPrompt } from '../prompt-text.ts'
import { toolDetail } from '../tool-detail.ts'
import { blocksOf } from './content.ts'
import { typedText } from './typed-text.ts'

// A skill is handed to the model as if the user had typed it.
const skill = 'Base directory for this skill:'

export function readEntries(transcript: string, from: number): TranscriptEntry[] {
  const lines = transcript.split('\n')
  const parsed = lines.map((line) => asObject(parseJson(line)))
  if (transcript.trim() !== '' && parsed.every((entry) => entry === undefined))
    throw new EntireError('corrupt-state', 'The transcript has no line that is JSON.')
  return parsed.slice(from).flatMap((entry) => (entry === undefined ? [] : entriesOf(entry)))
}

function entriesOf(entry: JsonObject): TranscriptEntry[] {
  if (entry.isSidechain === true) return []
  return entry.type === 'assistant' ? answerEntries(entry) : promptEntries(entry)
}

function promptEntries(entry: JsonObject): TranscriptEntry[] {
  const prompt = cleanPrompt(typedText(entry) ?? '')
  return prompt === undefined || prompt.startsWith(skill) ? [] : [{ role: 'user', text: prompt }]
}

function answerEntries(entry: JsonObject): TranscriptEntry[] {
  // Errors of the API are written as answers of a model of this name.
  if (asObject(entry.message)?.model === '<synthetic>') return []
  return blocksOf(entry).flatMap((block): TranscriptEntry[] => {
    if (block.type === 'tool_use') return [{ role: 'tool', name: text(block.name) ?? 'unknown', text: toolDetail(block.input) }]
    const said = block.type === 'text' ? text(block.text)?.trim() : undefined
    return said ? [{ role: 'assistant', text: said }] : []
  })
}
