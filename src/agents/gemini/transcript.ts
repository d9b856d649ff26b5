// Gemini CLI's transcript: a log of changes to a conversation, a line each. Older versions rewrote one JSON document instead.
// A message counts when it is first met, and later lines add to it what is new. Rewinding takes nothing back: the tokens are
// spent, the prompt was typed, the file was written.
import type { TranscriptEntry, TranscriptFormat, TranscriptReading } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import {
  asArray,
  asNumber,
  asObject,
  asString,
  type Json,
  type JsonObject,
  parseJson,
} from '../../std/json.ts'
import { asText } from '../shared/hook-table.ts'
import { type MessageTally, messageTally } from '../shared/message-tally.ts'
import { cleanPrompt, toolDetail } from '../shared/message-text.ts'

export const geminiTranscript: TranscriptFormat = {
  shape(head) {
    const [first = '', ...rest] = head.trimStart().split('\n')
    const parsed = asObject(parseJson(first))
    // The header of a log may have an empty list of messages; a document has its messages in it and nothing after it.
    if (parsed)
      return asArray(parsed.messages).length > 0 && rest.join('').trim() === '' ? 'document' : 'lines'
    return first.trim() === '{' || /"messages"\s*:\s*\[/.test(first) ? 'document' : 'lines'
  },

  readLines(lines, carry) {
    const records = lines.map((line) => asObject(parseJson(line)))
    const reading = readMessages(records.flatMap(messagesOf), lines.length, carry)
    // The prompts of a subagent come from the agent. Only the header tells that it is one.
    const isSubagent = carry?.subagent === true || records.some((record) => record?.kind === 'subagent')
    return isSubagent ? { ...reading, prompts: [], carry: { ...reading.carry, subagent: true } } : reading
  },

  readDocument(document, from) {
    const stretch = parseDocument(document).slice(from)
    // Without a carry an older message would count again when it is listed twice; in a document none is.
    const { carry: _carry, ...reading } = readMessages(stretch, stretch.length, undefined)
    return reading
  },

  readEntries(transcript, from) {
    const isDocument = geminiTranscript.shape(transcript) === 'document'
    return readConversation(
      isDocument
        ? parseDocument(transcript).map((message) => [message])
        : parseRecords(transcript).map(messagesOf),
      from,
    )
  },

  truncateAt(lines, id) {
    const at = lines.findLastIndex((line) => line.includes(id) && asObject(parseJson(line))?.id === id)
    return at < 0 ? lines : lines.slice(0, at + 1)
  },
}

function parseDocument(text: string): Json[] {
  const messages = asObject(parseJson(text))?.messages
  if (Array.isArray(messages)) return messages
  throw new EntireError(
    'corrupt-state',
    'The Gemini transcript is not a JSON document with a list of messages.',
    {
      hint: 'Nothing was changed; the next turn writes it again.',
    },
  )
}

function readMessages(messages: Json[], items: number, carry: JsonObject | undefined) {
  const tally = messageTally(carry)
  const gathered: Gathered = nothingGathered()
  for (const message of messages) {
    const object = asObject(message)
    if (object) gatherMessage(object, gathered, tally)
  }
  const { files, subagents, ...rest } = gathered
  return {
    items,
    ...rest,
    files: [...files],
    subagents: [...subagents],
    tokens: tally.tokens,
    carry: tally.carry(),
  }
}

/** The messages a line brings: itself, or a whole list that takes the place of the one before. */
function messagesOf(record: JsonObject | undefined): Json[] {
  if (!record) return []
  if (asText(record.id) !== undefined) return [record]
  return asArray(asObject(record.$set)?.messages ?? record.messages)
}

// The conversation of a Gemini transcript, for people to read. The log names a message again whenever it changes, and lists old ones
// again after a resume: of each, only what is new is said, and only where the checkpoint begins or later.

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
  const id = asText(message.id)
  const before = (id === undefined ? undefined : told.get(id)) ?? { words: false, tools: 0 }
  const words = wordEntries(message)
  const tools = message.type === 'gemini' ? asArray(message.toolCalls).map(toolEntry) : []
  if (id !== undefined)
    told.set(id, { words: before.words || words.length > 0, tools: Math.max(before.tools, tools.length) })
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

// One message of a Gemini conversation, and what it adds to what is known.

const writingTools = new Set(['write_file', 'edit_file', 'save_file', 'replace'])
const running = new Set(['validating', 'scheduled', 'awaiting_approval', 'executing'])
const failed = new Set(['error', 'cancelled'])

export type Gathered = Pick<TranscriptReading, 'prompts' | 'summary' | 'model' | 'lastId'> & {
  files: Set<string>
  subagents: Set<string>
}

export function nothingGathered(): Gathered {
  return { prompts: [], files: new Set(), subagents: new Set() }
}

export function gatherMessage(message: JsonObject, gathered: Gathered, tally: MessageTally): void {
  const id = asText(message.id)
  // Messages without an id cannot be told apart from their repetitions, so each one is taken for new.
  const met = id === undefined ? 'new' : tally.meet(id, asString(message.timestamp) ?? '')
  if (met === 'old') return
  if (id !== undefined) gathered.lastId = id
  if (message.type === 'gemini') gatherAnswer(message, id, gathered, tally)
  else if (message.type === 'user' && met === 'new') gatherPrompt(message, gathered)
}

function gatherPrompt(message: JsonObject, gathered: Gathered): void {
  const prompt = promptOf(message)
  if (prompt !== undefined) gathered.prompts.push(prompt)
}

/** What was typed, of a message of the user: some carry results of tools instead. */
export function promptOf(message: JsonObject): string | undefined {
  if (asArray(message.content).some((part) => asObject(part)?.functionResponse !== undefined))
    return undefined
  // Before files it names were read into it.
  return cleanPrompt(wordsOf(message.displayContent) ?? '') ?? cleanPrompt(wordsOf(message.content) ?? '')
}

function gatherAnswer(
  message: JsonObject,
  id: string | undefined,
  gathered: Gathered,
  tally: MessageTally,
): void {
  const said = wordsOf(message.content)?.trim()
  if (said) gathered.summary = said
  const model = asText(message.model)
  if (model !== undefined) gathered.model = model
  const calls = asArray(message.toolCalls)
    .map(asObject)
    .filter((call) => call !== undefined && !running.has(asString(call.status) ?? ''))
  const before = id === undefined ? 0 : tally.advanceTools(id, calls.length)
  for (const call of calls.slice(before)) gatherCall(call ?? {}, gathered)
  countTokens(asObject(message.tokens), id, tally)
}

function gatherCall(call: JsonObject, gathered: Gathered): void {
  const subagent = asText(call.agentId)
  if (subagent !== undefined && /^[A-Za-z0-9_-]+$/.test(subagent)) gathered.subagents.add(subagent)
  if (failed.has(asString(call.status) ?? '') || !writingTools.has(asString(call.name) ?? '')) return
  const args = asObject(call.args)
  const file = asText(args?.file_path) ?? asText(args?.path) ?? asText(args?.filename)
  if (file !== undefined) gathered.files.add(file)
}

function countTokens(tokens: JsonObject | undefined, id: string | undefined, tally: MessageTally): void {
  if (tokens === undefined) return
  const count = (field: string) => Math.max(0, asNumber(tokens[field]) ?? 0)
  const cacheRead = count('cached')
  // The input includes what came from the cache; thoughts are output that is not shown.
  const usage = {
    input: Math.max(0, count('input') - cacheRead) + count('tool'),
    cacheCreation: 0,
    cacheRead,
    output: count('output') + count('thoughts'),
    calls: 1,
  }
  if (usage.input + usage.cacheRead + usage.output > 0) tally.count(id, usage)
}

/** A string, or parts of which some are words, some thoughts, some tool calls. */
export function wordsOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  const words = asArray(content).flatMap((part) => {
    if (typeof part === 'string') return part
    const object = asObject(part)
    return object?.thought === true ? [] : (asString(object?.text) ?? [])
  })
  return words.length === 0 ? undefined : words.join('\n')
}
