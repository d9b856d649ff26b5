// Reads transcripts of unknown form: JSON lines, one JSON value, or any text; and cuts and joins them through
// the plugin. They are stored as they are.

import type {
  TranscriptCutter,
  TranscriptEntry,
  TranscriptFormat,
  TranscriptReading,
} from '../../model/agent.ts'
import { noTokens } from '../../model/tokens.ts'
import { limits } from '../../protocol/external-agent/subcommand.ts'
import { given } from '../../std/given.ts'
import { asArray, asObject, asString, type Json, type JsonObject, parseJson } from '../../std/json.ts'
import { answerOrReport, ask, askForBytes, type PluginProgram } from './call.ts'

export const anyTranscript: TranscriptFormat = {
  shape,
  // Only the plugin knows what the lines mean; its analyser is asked where there is one.
  readLines: (lines, carry) => ({
    ...emptyReading(lines.length),
    ...given({ carry }),
  }),
  readDocument: (text, from) => emptyReading(Math.max(0, countItems(text) - from)),
  readEntries: (text, from) => {
    const items = readItems(text)
    if (items === undefined) return text.trim() === '' ? [] : [{ role: 'assistant', text: text.trim() }]
    return items.slice(from).flatMap((item) => readEntry(item) ?? [])
  },
}

function emptyReading(items: number): TranscriptReading {
  return { items, files: [], prompts: [], tokens: noTokens, subagents: [] }
}

const lists = ['messages', 'history', 'conversation', 'entries']
// Plain values before a list of messages: one JSON value that is rewritten each time, perhaps on a single
// line.
const listFirst = new RegExp(
  String.raw`^\{\s*(?:"(?:[^"\\]|\\.)*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)\s*,\s*)*"(?:${lists.join('|')})"\s*:\s*\[`,
)

// The head may end within the first line.
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

export function readItems(text: string): Json[] | undefined {
  if (shape(text) === 'lines') {
    const whole = asObject(parseJson(text))
    return whole === undefined
      ? text.split('\n').map((line) => parseJson(line) ?? null)
      : (listIn(whole) ?? [whole])
  }
  const value = parseJson(text)
  return Array.isArray(value)
    ? value
    : value === undefined
      ? undefined
      : (listIn(asObject(value) ?? {}) ?? [value])
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
  const role = [message?.role, entry.role, entry.type, entry.kind]
    .map((word) => roles[asString(word)?.toLowerCase() ?? ''])
    .find(Boolean)
  const text =
    role === 'tool'
      ? toolText(entry)
      : plainTextOf(message?.content ?? message?.parts ?? message?.text ?? entry.content ?? entry)
  if (role === undefined || text === '') return undefined
  return {
    role,
    text,
    ...(role === 'tool'
      ? { name: asString(entry.name ?? entry.tool ?? entry.kind ?? entry.type) ?? 'tool' }
      : {}),
  }
}

function plainTextOf(value: Json | undefined): string {
  if (typeof value === 'string') return value.trim()
  if (Array.isArray(value)) return value.map(plainTextOf).filter(Boolean).join('\n')
  const part = asObject(value)
  return (asString(part?.text) ?? asString(part?.message) ?? '').trim()
}

function toolText(entry: JsonObject): string {
  const detail = entry.path ?? entry.file ?? entry.command ?? entry.input ?? entry.args ?? entry.text ?? ''
  return typeof detail === 'string'
    ? detail
    : asArray(detail).length > 0
      ? asArray(detail).map(String).join(' ')
      : JSON.stringify(detail)
}

/** Reads the common short form: a line for each message, with blocks of text and of tool calls. */
export function parseCompact(text: string): TranscriptEntry[] {
  return text.split('\n').flatMap((line) => {
    const message = asObject(parseJson(line))
    const role = roles[asString(message?.type) ?? '']
    if (message === undefined || role === undefined) return []
    const blocks =
      typeof message.content === 'string' ? [{ text: message.content }] : asArray(message.content)
    return blocks.flatMap((block): TranscriptEntry[] => {
      const part = asObject(block)
      if (part?.type === 'tool_use')
        return [
          { role: 'tool', name: asString(part.name) ?? 'tool', text: inputText(asObject(part.input) ?? {}) },
        ]
      const said = asString(part?.text)?.trim() ?? ''
      return said === '' ? [] : [{ role, text: said }]
    })
  })
}

function inputText(input: JsonObject): string {
  const detail = ['description', 'command', 'file_path', 'path', 'pattern'].map((name) =>
    asString(input[name]),
  )
  return detail.find((text) => text !== undefined) ?? ''
}

// Base64 in the answer takes four bytes for three, and every chunk has quotes and a comma.
const mostToCut = Math.floor((limits.maxBytes * 3) / 4) - 4096
const mostChunks = 100

/** A plugin cuts documents in its own way. Its chunks are used only if it joins them to the same bytes. */
export function pluginCutter(plugin: PluginProgram): TranscriptCutter {
  const joined = new Map<string, Promise<Buffer | undefined>>()
  return {
    async cut(whole, maxBytes) {
      if (whole.length > mostToCut) return undefined
      // The answer is optional, so it gets a short time limit, which does not count as a hang for other
      // calls.
      const hurried = {
        ...plugin,
        site: { ...plugin.site, timeoutMs: Math.min(plugin.site.timeoutMs, limits.hurriedMs) },
      }
      const answer = await answerOrReport(
        plugin,
        ask(hurried, 'chunk-transcript', { 'max-size': maxBytes }, whole),
      )
      if (answer === undefined) return undefined
      const chunks = (answer.chunks ?? []).map((chunk) => Buffer.from(chunk, 'base64'))
      const problem =
        chunks.length > mostChunks ? `makes ${chunks.length} chunks` : await findFault(hurried, whole, chunks)
      if (problem === undefined) return chunks
      plugin.site.report(
        `entire-agent-${plugin.name} cannot cut the transcript: it ${problem}. It is cut at its lines or messages instead.`,
      )
      return undefined
    },
    join(chunks, isWhole) {
      // A log that is compared before it is written is read twice.
      const key = chunks.map((chunk) => new Bun.CryptoHasher('sha1').update(chunk).digest('hex')).join(' ')
      const answer = joined.get(key) ?? join(plugin, chunks, isWhole)
      joined.set(key, answer)
      return answer
    },
  }
}

async function findFault(
  plugin: PluginProgram,
  whole: Buffer,
  chunks: Buffer[],
): Promise<string | undefined> {
  const back = await answerOrReport(plugin, reassemble(plugin, chunks))
  return back?.equals(whole) ? undefined : 'could not join its chunks to the same bytes'
}

async function join(
  plugin: PluginProgram,
  chunks: Buffer[],
  isWhole: (bytes: Buffer) => boolean,
): Promise<Buffer | undefined> {
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const isTooLarge = size > limits.maxBytes
  const answer = isTooLarge ? undefined : await answerOrReport(plugin, reassemble(plugin, chunks))
  if (answer !== undefined && isWhole(answer)) return answer
  const why = isTooLarge
    ? 'is too large to be joined by'
    : answer === undefined
      ? 'could not be joined by'
      : 'was not restored by'
  plugin.site.report(
    `A stored transcript ${why} entire-agent-${plugin.name}. Its ${chunks.length} chunks were concatenated instead, so the result differs from what the agent wrote.`,
  )
  return undefined
}

function reassemble(plugin: PluginProgram, chunks: Buffer[]): Promise<Buffer> {
  const message = { chunks: chunks.map((chunk) => chunk.toString('base64')) }
  return askForBytes(plugin, 'reassemble-transcript', {}, JSON.stringify(message))
}
