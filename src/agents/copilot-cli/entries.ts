// The conversation of a Copilot CLI session, for people to read. What subagents say among themselves is left out.
import type { TranscriptEntry } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import { asArray, asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { text } from '../hook-table.ts'
import { toolDetail } from '../tool-detail.ts'
import { blockReason, typedText } from './typed-text.ts'

export function readEntries(transcript: string, from: number): TranscriptEntry[] {
  const events = transcript.split('\n').map((line) => asObject(parseJson(line)))
  if (transcript.trim() !== '' && events.every((event) => event === undefined))
    throw new EntireError('corrupt-state', 'The transcript has no line that is JSON.')
  let blocked: string | undefined
  const entries = events.map((event) => {
    if (event === undefined || event.agentId !== undefined) return []
    const said = event.type === 'assistant.message' ? answerEntries(event) : promptEntries(event, blocked)
    blocked = event.type === 'user.message' ? undefined : (blockReason(event) ?? blocked)
    return said
  })
  return entries.slice(from).flat()
}

function promptEntries(event: JsonObject, blocked: string | undefined): TranscriptEntry[] {
  const prompt = typedText(event, blocked)
  return prompt === undefined ? [] : [{ role: 'user', text: prompt }]
}

function answerEntries(event: JsonObject): TranscriptEntry[] {
  const data = asObject(event.data)
  const said = text(data?.content)?.trim()
  const tools = asArray(data?.toolRequests).map((request): TranscriptEntry => {
    const call = asObject(request)
    return { role: 'tool', name: text(call?.name) ?? 'unknown', text: toolDetail(call?.arguments) }
  })
  return [...(said ? [{ role: 'assistant', text: said } as const] : []), ...tools]
}
