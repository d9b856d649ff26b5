// The conversation of a Gemini transcript, for people to read. The log names a message again whenever it changes, and lists old ones
// again after a resume: of each, only what is new is said, and only where the checkpoint begins or later.
import type { TranscriptEntry } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import { asArray, asObject, asString, type Json, type JsonObject, parseJson } from '../../std/json.ts'
import { text } from '../hook-table.ts'
import { toolDetail } from '../tool-detail.ts'
import { promptOf, wordsOf } from './message.ts'

interface Told {
  words: boolean
  tools: number
}

/** `records` are what positions count: lines of a log, or messages of a document. Each brings messages. */
export function readConversation(records: Json[][], from: number): TranscriptEntry[] {
  const told = new Map<string, Told>()
  const entries = records.map((messages) =>
    messages.flatMap((message) => {
      const object = asObject(message)
      return object === undefined ? [] : newEntries(object, told)
    }),
  )
  return entries.slice(from).flat()
}

function newEntries(message: JsonObject, told: Map<string, Told>): TranscriptEntry[] {
  const id = text(message.id)
  const before = (id === undefined ? undefined : told.get(id)) ?? { words: false, tools: 0 }
  const words = wordEntries(message)
  const tools = message.type === 'gemini' ? asArray(message.toolCalls).map(toolEntry) : []
  if (id !== undefined) told.set(id, { words: before.words || words.length > 0, tools: Math.max(before.tools, tools.length) })
  return [...(before.words ? [] : words), ...tools.slice(before.tools)]
}

function wordEntries(message: JsonObject): TranscriptEntry[] {
  const prompt = message.type === 'user' ? promptOf(message) : undefined
  if (prompt !== undefined) return [{ role: 'user', text: prompt }]
  const said = message.type === 'gemini' ? wordsOf(message.content)?.trim() : undefined
  return said ? [{ role: 'assistant', text: said }] : []
}

function toolEntry(call: Json): TranscriptEntry {
  const object = asObject(call)
  return { role: 'tool', name: asString(object?.name) ?? 'unknown', text: toolDetail(object?.args) }
}

export function parseRecords(transcript: string): (JsonObject | undefined)[] {
  const records = transcript.split('\n').map((line) => asObject(parseJson(line)))
  if (transcript.trim() !== '' && records.every((record) => record === undefined))
    throw new EntireError('corrupt-state', 'The transcript has no line that is JSON.')
  return records
}
