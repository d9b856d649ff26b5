// The conversation of a Pi session as Pi itself would go on with it, for people to read: branches that were left are not a part of it.
import type { TranscriptEntry } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import { asArray, asObject, asString, type Json, type JsonObject, parseJson } from '../../std/json.ts'
import { text } from '../hook-table.ts'
import { toolDetail } from '../tool-detail.ts'
import { findActiveBranch } from './active-branch.ts'
import { wordsOf } from './entry.ts'
import { typedPrompt } from './typed-prompt.ts'

export function readEntries(transcript: string, from: number): TranscriptEntry[] {
  const entries = transcript.split('\n').map((line) => asObject(parseJson(line)))
  if (transcript.trim() !== '' && entries.every((entry) => entry === undefined))
    throw new EntireError('corrupt-state', 'The transcript has no line that is JSON.')
  return findActiveBranch(entries)
    .filter((at) => at >= from)
    .flatMap((at) => messageEntries(asObject(entries[at]?.message)))
}

function messageEntries(message: JsonObject | undefined): TranscriptEntry[] {
  if (message?.role === 'user') return entryOf('user', typedPrompt(wordsOf(message) ?? ''))
  if (message?.role === 'bashExecution') return entryOf('user', `!${asString(message.command) ?? ''}`)
  return message?.role === 'assistant' ? asArray(message.content).flatMap(partEntries) : []
}

function partEntries(part: Json): TranscriptEntry[] {
  const object = asObject(part)
  if (object?.type === 'toolCall') return [{ role: 'tool', name: text(object.name) ?? 'unknown', text: toolDetail(object.arguments) }]
  return object?.type === 'text' ? entryOf('assistant', asString(object.text)?.trim()) : []
}

function entryOf(role: 'user' | 'assistant', words: string | undefined): TranscriptEntry[] {
  return words ? [{ role, text: words }] : []
}
