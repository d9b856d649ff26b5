// The conversation of an OpenCode session, for people to read.
import type { TranscriptEntry } from '../../model/agent.ts'
import { asObject, asString, type JsonObject } from '../../std/json.ts'
import { text } from '../hook-table.ts'
import { toolDetail } from '../tool-detail.ts'
import { type Message, promptOf } from './message.ts'

export function entriesOf(message: Message): TranscriptEntry[] {
  if (message.role === 'assistant') return message.parts.flatMap((part) => answerEntry(part) ?? [])
  const prompt = message.role === 'user' ? promptOf(message) : undefined
  return prompt === undefined ? [] : [{ role: 'user', text: prompt }]
}

function answerEntry(part: JsonObject): TranscriptEntry | undefined {
  if (part.type === 'tool') return { role: 'tool', name: asString(part.tool) ?? 'unknown', text: detailOf(part) }
  const said = part.type === 'text' ? text(asString(part.text)?.trim()) : undefined
  return said === undefined ? undefined : { role: 'assistant', text: said }
}

function detailOf(part: JsonObject): string {
  const state = asObject(part.state)
  const input = asObject(state?.input)
  return toolDetail({ ...input, path: input?.filePath ?? input?.path ?? '' }) || (text(state?.title) ?? '')
}
