// The conversation of a rollout, for people to read.
import type { TranscriptEntry } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import { asArray, asObject, asString, asStrings, type JsonObject, parseJson } from '../../std/json.ts'
import { text } from '../hook-table.ts'
import { toolDetail } from '../tool-detail.ts'
import { changesOf } from './changed-files.ts'
import { promptOf } from './prompt.ts'

export function readEntries(transcript: string, from: number): TranscriptEntry[] {
  const records = transcript.split('\n').map((line) => asObject(parseJson(line)))
  if (transcript.trim() !== '' && records.every((record) => record === undefined))
    throw new EntireError('corrupt-state', 'The transcript has no line that is JSON.')
  return records.slice(from).flatMap((record) => (record ? entriesOf(record) : []))
}

function entriesOf(record: JsonObject): TranscriptEntry[] {
  const payload = asObject(record.payload) ?? {}
  if (record.type === 'event_msg') return nestedTool(asObject(payload.item))
  if (record.type !== 'response_item') return []
  if (payload.type === 'message') return asObject(record.metadata)?.compaction_output === true ? [] : said(payload)
  if (payload.type === 'function_call') return [{ role: 'tool', name: nameOf(payload), text: argumentsOf(payload) }]
  // A script in which the model calls its tools: what these did is told for itself.
  if (payload.type === 'custom_tool_call' && payload.name !== 'exec') {
    return [{ role: 'tool', name: nameOf(payload), text: patchedFiles(asString(payload.input) ?? '') }]
  }
  return []
}

function said(message: JsonObject): TranscriptEntry[] {
  const prompt = promptOf(message)
  if (prompt !== undefined) return [{ role: 'user', text: prompt }]
  const words = asArray(message.content).flatMap((part) => text(asObject(part)?.text) ?? [])
  return message.role === 'assistant' && words.length > 0 ? [{ role: 'assistant', text: words.join('\n').trim() }] : []
}

/** Only tools that a script called: the others were told when they were called. */
function nestedTool(item: JsonObject | undefined): TranscriptEntry[] {
  if (!text(item?.id)?.startsWith('exec-')) return []
  if (item?.type === 'CommandExecution') return [{ role: 'tool', name: 'exec_command', text: asStrings(item.command).at(-1) ?? '' }]
  return item?.type === 'FileChange' ? [{ role: 'tool', name: 'apply_patch', text: changesOf(item).join(', ') }] : []
}

function nameOf({ name }: JsonObject): string {
  return text(name) ?? 'unknown'
}

function argumentsOf(call: JsonObject): string {
  const input = asObject(parseJson(asString(call.arguments) ?? ''))
  const words = asStrings(input?.command)
  return text(input?.cmd) ?? text(input?.message) ?? (words.length > 0 ? words.join(' ') : toolDetail(input))
}

function patchedFiles(patch: string): string {
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, path]) => path).join(', ')
}
