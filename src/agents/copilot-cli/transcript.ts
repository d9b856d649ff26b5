// Reads the transcript of Copilot CLI: one event on each line, appended to by every process that resumes the
// session. Events of subagents are part of it, marked with their ids.

import type { TranscriptEntry, TranscriptFormat, TranscriptReading } from '../../model/agent.ts'
import { given } from '../../std/given.ts'
import { asArray, asObject, asStrings, type JsonObject, parseJson } from '../../std/json.ts'
import { asText } from '../shared/hook-table.ts'
import { cleanPrompt, parseTranscriptLines, toolDetail } from '../shared/message-text.ts'
import { removeTagged } from '../shared/tagged-blocks.ts'
import { restartUsage, usageCounter } from './usage.ts'

export const copilotTranscript: TranscriptFormat = {
  shape: () => 'lines',

  restart: restartUsage,

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
      const prompt = promptOf(event, blocked)
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

  // Encrypted reasoning is bound to the running session: Copilot CLI itself drops it when it resumes.
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
  // Including those of a call that failed halfway: it has written them.
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

/** What subagents say among themselves is left out. */
function readEntries(transcript: string, from: number): TranscriptEntry[] {
  let blocked: string | undefined
  const entries = parseTranscriptLines(transcript).map((event) => {
    if (event === undefined || event.agentId !== undefined) return []
    const answerOrPrompt =
      event.type === 'assistant.message' ? answerEntries(event) : promptEntries(event, blocked)
    blocked = event.type === 'user.message' ? undefined : (blockReason(event) ?? blocked)
    return answerOrPrompt
  })
  return entries.slice(from).flat()
}

function promptEntries(event: JsonObject, blocked: string | undefined): TranscriptEntry[] {
  const prompt = promptOf(event, blocked)
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

const injectedBlocks = ['current_datetime', 'reminder', 'system_reminder', 'system_notification']

/** What the user typed; undefined when the agent injected all of it. */
export function cleanCopilotPrompt(prompt: string): string | undefined {
  return cleanPrompt(removeTagged(prompt, (name) => injectedBlocks.includes(name)))
}

/**
 * What the user typed, if the event is a message of the user: some come from skills, other agents, the
 * autopilot or hooks. `blocked` is the reason for which a hook kept the agent from stopping; the agent takes
 * it for the next message.
 */
function promptOf(event: JsonObject, blocked: string | undefined): string | undefined {
  const data = asObject(event.data)
  if (event.type !== 'user.message' || event.agentId !== undefined || data === undefined) return undefined
  const source = asText(data.source)
  if ((source !== undefined && source !== 'user') || data.isAutopilotContinuation === true) return undefined
  const content = asText(data.content)
  if (content !== undefined && content === blocked) return undefined
  return cleanCopilotPrompt(content ?? asText(data.transformedContent) ?? '')
}

/** The reason, if the event says that a hook kept the agent from stopping. */
export function blockReason(event: JsonObject | undefined): string | undefined {
  const data = asObject(event?.data)
  if (event?.type !== 'hook.end' || event.agentId !== undefined || data?.hookType !== 'agentStop')
    return undefined
  const output = asObject(data.output)
  return output?.decision === 'block' ? asText(output.reason) : undefined
}
