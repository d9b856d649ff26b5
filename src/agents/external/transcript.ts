// Transcripts of agents that we know nothing of: JSON by lines, one JSON value, or any text. Kept as they are, and read as well as can be.

import type {
  TranscriptEntry,
  TranscriptFormat,
  TranscriptPieces,
  TranscriptReading,
} from '../../model/agent.ts'
import { noTokens } from '../../model/tokens.ts'
import { limits } from '../../protocol/external-agent/subcommand.ts'
import { given } from '../../std/given.ts'
import { asArray, asObject, asString, type Json, type JsonObject, parseJson } from '../../std/json.ts'
import { ask, askForBytes, type Plugin, unlessItFails } from './call.ts'

export const anyTranscript: TranscriptFormat = {
  shape,
  // What the lines mean only the plugin knows; where it can say so, it is asked.
  readLines: (lines, carry) => ({
    ...nothing,
    items: lines.length,
    ...given({ carry }),
  }),
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
  const said = [message?.role, entry.role, entry.type, entry.kind]
    .map((word) => roles[asString(word)?.toLowerCase() ?? ''])
    .find(Boolean)
  const text =
    said === 'tool'
      ? toolText(entry)
      : textOf(message?.content ?? message?.parts ?? message?.text ?? entry.content ?? entry)
  if (said === undefined || text === '') return undefined
  return {
    role: said,
    text,
    ...(said === 'tool'
      ? { name: asString(entry.name ?? entry.tool ?? entry.kind ?? entry.type) ?? 'tool' }
      : {}),
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
  return typeof detail === 'string'
    ? detail
    : asArray(detail).length > 0
      ? asArray(detail).map(String).join(' ')
      : JSON.stringify(detail)
}

// A plugin cuts its documents in its own way, as the original lets it do. What it gives is used only if it is proven right.

// In its answer three bytes are four, and every piece has quotes and a comma.
const mostToCut = Math.floor((limits.maxBytes * 3) / 4) - 4096
const mostPieces = 100

/** What does not fit into an answer is not asked for. */
export function pluginPieces(plugin: Plugin): TranscriptPieces {
  const joined = new Map<string, Promise<Buffer | undefined>>()
  return {
    async cut(whole, maxBytes) {
      if (whole.length > mostToCut) return undefined
      // We can do without: nobody waits long for it, and what else there is to ask it is asked all the same.
      const hurried = {
        ...plugin,
        site: { ...plugin.site, timeoutMs: Math.min(plugin.site.timeoutMs, limits.hurriedMs) },
      }
      const answer = await unlessItFails(
        plugin,
        ask(hurried, 'chunk-transcript', { 'max-size': maxBytes }, whole),
      )
      if (answer === undefined) return undefined
      const pieces = (answer.chunks ?? []).map((piece) => Buffer.from(piece, 'base64'))
      const problem =
        pieces.length > mostPieces
          ? `makes ${pieces.length} pieces of it`
          : await findFault(hurried, whole, pieces)
      if (problem === undefined) return pieces
      plugin.site.report(
        `entire-agent-${plugin.name} does not cut the transcript: it ${problem}. It is cut at its lines or messages instead.`,
      )
      return undefined
    },
    join(pieces, isWhole) {
      // Whoever compares a log before writing it reads it twice.
      const key = pieces.map((piece) => new Bun.CryptoHasher('sha1').update(piece).digest('hex')).join(' ')
      const answer = joined.get(key) ?? join(plugin, pieces, isWhole)
      joined.set(key, answer)
      return answer
    },
  }
}

async function findFault(plugin: Plugin, whole: Buffer, pieces: Buffer[]): Promise<string | undefined> {
  const back = await unlessItFails(plugin, reassemble(plugin, pieces))
  return back?.equals(whole) ? undefined : 'could not make the same bytes of its pieces again'
}

async function join(
  plugin: Plugin,
  pieces: Buffer[],
  isWhole: (bytes: Buffer) => boolean,
): Promise<Buffer | undefined> {
  const size = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const isTooLarge = size > limits.maxBytes
  const answer = isTooLarge ? undefined : await unlessItFails(plugin, reassemble(plugin, pieces))
  if (answer !== undefined && isWhole(answer)) return answer
  const why = isTooLarge
    ? 'is too large to be joined by'
    : answer === undefined
      ? 'could not be joined by'
      : 'was not given back by'
  plugin.site.report(
    `A stored transcript ${why} entire-agent-${plugin.name}. Its ${pieces.length} pieces are put one after another, which is not how it was recorded.`,
  )
  return undefined
}

function reassemble(plugin: Plugin, pieces: Buffer[]): Promise<Buffer> {
  const chunks = pieces.map((piece) => piece.toString('base64'))
  return askForBytes(plugin, 'reassemble-transcript', {}, JSON.stringify({ chunks }))
}
