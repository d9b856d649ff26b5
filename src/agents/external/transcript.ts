// Transcripts of agents that we know nothing of: JSON by lines, one JSON value, or any text. Kept as they are, and read as well as can be.
import type { TranscriptEntry, TranscriptFormat, TranscriptReading } from '../../model/agent.ts'
import { noTokens } from '../../model/tokens.ts'
import { asArray, asObject, asString, type Json, type JsonObject, parseJson } from '../../std/json.ts'

export const anyTranscript: TranscriptFormat = {
  shape,
  // What the lines mean only the plugin knows; where it can say so, it is asked.
  readLines: (lines, carry) => ({ ...nothing, items: lines.length, ...(carry === undefined ? {} : { carry }) }),
  readDocument: (text, from) => ({ ...nothing, items: Math.max(0, countItems(text) - from) }),
  readEntries: (text, from) => {
    const items = readItems(text)
    if (items === undefined) return text.trim() === '' ? [] : [{ role: 'assistant', text: text.trim() }]
    return items.slice(from).flatMap((item) => readEntry(item) ?? [])
  },
}

const nothing: TranscriptReading = { items: 0, files: [], prompts: [], tokens: noTokens, subagents: [] }

const lists = ['messages', 'history', 'conversation', 'entries']
// Plain values before a list of messages: one JSON value that is written anew each time, on a single line perhaps.
const listFirst = new RegExp(
  String.raw`^\{\s*(?:"(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)\s*,\s*)*"(?:${lists.join('|')})"\s*:\s*\[`,
)

// A first line may be longer than what we are shown of it.
function shape(head: string): 'lines' | 'document' {
  const text = head.trimStart()
  if (listFirst.test(text)) return 'document'
  const end = text.indexOf('\n')
  if (end === -1) return /^\{\s*"/.test(text) ? 'lines' : 'document'
  return asObject(parseJson(text.slice(0, end))) === undefined ? 'document' : 'lines'
}

function countItems(text: string): number {
  return readItems(text)?.length ?? text.split('\n').length
}

function readItems(text: string): Json[] | undefined {
  if (shape(text) === 'lines') {
    const whole = asObject(parseJson(text))
    return whole === undefined ? text.split('\n').map((line) => parseJson(line) ?? null) : (listIn(whole) ?? [whole])
  }
  const value = parseJson(text)
  return Array.isArray(value) ? value : value === undefined ? undefined : (listIn(asObject(value) ?? {}) ?? [value])
}

function listIn(value: JsonObject): Json[] | undefined {
  return lists.map((name) => value[name]).find((list): list is Json[] => Array.isArray(list))
}

const roles: Record<string, TranscriptEntry['role']> = {
  user: 'user',
  human: 'user',
  prompt: 'user',
  assistant: 'assistant',
  agent: 'assistant',
  model: 'assistant',
  answer: 'assistant',
  response: 'assistant',
  tool: 'tool',
  tool_call: 'tool',
  tool_use: 'tool',
  edit: 'tool',
  run: 'tool',
}

function readEntry(item: Json): TranscriptEntry | undefined {
  const entry = asObject(item)
  if (entry === undefined) return undefined
  const message = asObject(entry.message)
  const said = [message?.role, entry.role, entry.type, entry.kind].map((word) => roles[asString(word)?.toLowerCase() ?? '']).find(Boolean)
  const text = said === 'tool' ? toolText(entry) : textOf(message?.content ?? message?.parts ?? message?.text ?? entry.content ?? entry)
  if (said === undefined || text === '') return undefined
  return {
    role: said,
    text,
    ...(said === 'tool' ? { name: asString(entry.name ?? entry.tool ?? entry.kind ?? entry.type) ?? 'tool' } : {}),
  }
}

function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value.trim()
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join('\n')
  const part = asObject(value)
  return (asString(part?.text) ?? asString(part?.message) ?? '').trim()
}

function toolText(entry: JsonObject): string {
  const detail = entry.path ?? entry.file ?? entry.command ?? entry.input ?? entry.args ?? entry.text ?? ''
  return typeof detail === 'string' ? detail : asArray(detail).length > 0 ? asArray(detail).map(String).join(' ') : JSON.stringify(detail)
}
