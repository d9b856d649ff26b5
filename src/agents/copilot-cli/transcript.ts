// Copilot CLI's transcript: one event a line, appended to by every process that resumes the session. What subagents do is part of it,
// marked with their ids.

import type { TranscriptEntry, TranscriptFormat, TranscriptReading } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import { asArray, asObject, asStrings, type JsonObject, parseJson } from '../../std/json.ts'
import { asText } from '../shared/hook-table.ts'
import { toolDetail } from '../shared/message-text.ts'
import { blockReason, typedText } from './session-files.ts'
import { usageCounter } from './usage.ts'

export const copilotTranscript: TranscriptFormat = {
  shape: () => 'lines',

  readLines(lines, carry) {
    const usage = usageCounter(carry)
    const reading: Reading = { items: lines.length, prompts: [] }
    const files = new Set<string>()
    let blocked = asText(carry?.blocked)
    for (const line of lines) {
      const event = parseEvent(line)
      if (event === undefined) continue
      usage.read(event)
      for (const file of writtenFiles(event)) files.add(file)
      const prompt = typedText(event, blocked)
      if (prompt !== undefined) reading.prompts.push(prompt)
      blocked = isMainMessage(event) ? undefined : (blockReason(event) ?? blocked)
      readMain(event, reading)
    }
    return {
      ...reading,
      files: [...files],
      subagents: [],
      tokens: usage.tokens,
      carry: { ...usage.carry(), ...given({ blocked }) },
    }
  },

  readEntries,

  // Session-bound: Copilot CLI itself drops them when it resumes.
  strip(line) {
    if (!line.includes('"reasoningOpaque"') && !line.includes('"encryptedContent"')) return line
    const event = parseEvent(line)
    const data = asObject(event?.data)
    if (event === undefined || data === undefined) return line
    const { reasoningOpaque: _opaque, encryptedContent: _encrypted, ...rest } = data
    return JSON.stringify({ ...event, data: rest })
  },

  toolResultId(lines, toolUse) {
    for (const line of lines.toReversed()) {
      const event = line.includes(toolUse) ? parseEvent(line) : undefined
      if (event?.type === 'subagent.completed' && event.agentId === toolUse) return asText(event.id)
      if (event?.type === 'tool.execution_complete' && asObject(event.data)?.toolCallId === toolUse)
        return asText(event.id)
    }
    return undefined
  },

  truncateAt(lines, id) {
    const at = lines.findIndex((line) => line.includes(id) && parseEvent(line)?.id === id)
    return at < 0 ? lines : lines.slice(0, at + 1)
  },
}

type Reading = Pick<TranscriptReading, 'items' | 'prompts' | 'summary' | 'model' | 'lastId'>

function parseEvent(line: string): JsonObject | undefined {
  return asObject(parseJson(line))
}

function isMainMessage(event: JsonObject): boolean {
  return event.type === 'user.message' && event.agentId === undefined
}

function readMain(event: JsonObject, reading: Reading): void {
  const id = asText(event.id)
  if (id !== undefined) reading.lastId = id
  const data = asObject(event.data)
  if (event.type !== 'assistant.message' || event.agentId !== undefined || data === undefined) return
  const said = asText(data.content)?.trim()
  if (said) reading.summary = said
  const model = asText(data.model)
  if (model !== undefined) reading.model = model
}

function writtenFiles(event: JsonObject): string[] {
  const data = asObject(event.data)
  if (event.type !== 'tool.execution_complete' || data === undefined) return []
  // Also of a call that failed half way: what it wrote is written.
  if (Array.isArray(data.fileEdits))
    return asArray(data.fileEdits).flatMap((edit) => asText(asObject(edit)?.path) ?? [])
  return data.success === false ? [] : telemetryFiles(asObject(data.toolTelemetry))
}

// Older versions name the files in a list that is itself JSON.
function telemetryFiles(telemetry: JsonObject | undefined): string[] {
  const list =
    asText(asObject(telemetry?.properties)?.filePaths) ??
    asText(asObject(telemetry?.restrictedProperties)?.filePaths)
  return list === undefined ? [] : asStrings(parseJson(list)).filter((path) => path !== '')
}

// The conversation of a Copilot CLI session, for people to read. What subagents say among themselves is left out.

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
  const said = asText(data?.content)?.trim()
  const tools = asArray(data?.toolRequests).map((request): TranscriptEntry => {
    const call = asObject(request)
    return { role: 'tool', name: asText(call?.name) ?? 'unknown', text: toolDetail(call?.arguments) }
  })
  return [...(said ? [{ role: 'assistant', text: said } as const] : []), ...tools]
}
