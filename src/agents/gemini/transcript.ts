// Reads the transcript of Gemini CLI: a log of changes to a conversation, one on each line. Older versions
// rewrote one JSON document instead. A message counts when it first appears, and later lines add what is new
// in it. A rewind of the conversation takes nothing back: the tokens are spent, the prompt was typed, the
// file was written.

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
import { cleanPrompt, parseTranscriptLines, toolDetail } from '../shared/message-text.ts'

export const geminiTranscript: TranscriptFormat = {
  shape(head) {
    const [first = '', ...rest] = head.trimStart().split('\n')
    const parsed = asObject(parseJson(first))
    // The header of a log may have an empty list of messages; a document has messages and nothing after them.
    if (parsed)
      return asArray(parsed.messages).length > 0 && rest.join('').trim() === '' ? 'document' : 'lines'
    return first.trim() === '{' || /"messages"\s*:\s*\[/.test(first) ? 'document' : 'lines'
  },

  restart: (carry) => carry,

  readLines(lines, carry) {
    const records = lines.map((line) => asObject(parseJson(line)))
    const reading = readMessages(records.flatMap(messagesOf), lines.length, carry)
    // The prompts of a subagent come from the agent. Only the header says that it is a subagent.
    const isSubagent = carry?.subagent === true || records.some((record) => record?.kind === 'subagent')
    return isSubagent ? { ...reading, prompts: [], carry: { ...reading.carry, subagent: true } } : reading
  },

  readDocument(document, from) {
    const stretch = parseDocument(document).slice(from)
    // No carry: a document lists no message twice.
    const { carry: _carry, ...reading } = readMessages(stretch, stretch.length, undefined)
    return reading
  },

  readEntries(transcript, from) {
    const isDocument = geminiTranscript.shape(transcript) === 'document'
    return readConversation(
      isDocument
        ? parseDocument(transcript).map((message) => [message])
        : parseTranscriptLines(transcript).map(messagesOf),
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
  const gathered: Gathered = { prompts: [], files: new Set(), subagents: new Set() }
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

/** The messages of a line: the line itself, or a whole list that replaces the one before. */
function messagesOf(record: JsonObject | undefined): Json[] {
  if (!record) return []
  if (asText(record.id) !== undefined) return [record]
  return asArray(asObject(record.$set)?.messages ?? record.messages)
}

/** What was shown of a message so far. */
interface Shown {
  text: boolean
  tools: number
}

/**
 * The conversation from the given record on. Records are what positions count: lines of a log, or messages of
 * a document. The log repeats a message whenever it changes, and lists old ones again after a resume: only
 * what is new in each message is shown.
 */
function readConversation(records: Json[][], from: number): TranscriptEntry[] {
  const shown = new Map<string, Shown>()
  const entries = records.map((messages) =>
    messages.flatMap((message) => {
      const object = asObject(message)
      return object === undefined ? [] : newEntries(object, shown)
    }),
  )
  return entries.slice(from).flat()
}

function newEntries(message: JsonObject, shown: Map<string, Shown>): TranscriptEntry[] {
  const id = asText(message.id)
  const before = (id === undefined ? undefined : shown.get(id)) ?? { text: false, tools: 0 }
  const texts = textEntries(message)
  const tools = message.type === 'gemini' ? asArray(message.toolCalls).map(toolEntry) : []
  if (id !== undefined)
    shown.set(id, { text: before.text || texts.length > 0, tools: Math.max(before.tools, tools.length) })
  return [...(before.text ? [] : texts), ...tools.slice(before.tools)]
}

function textEntries(message: JsonObject): TranscriptEntry[] {
  const prompt = message.type === 'user' ? promptOf(message) : undefined
  if (prompt !== undefined) return [{ role: 'user', text: prompt }]
  const answer = message.type === 'gemini' ? textIn(message.content)?.trim() : undefined
  return answer ? [{ role: 'assistant', text: answer }] : []
}

function toolEntry(call: Json): TranscriptEntry {
  const object = asObject(call)
  return { role: 'tool', name: asString(object?.name) ?? 'unknown', text: toolDetail(object?.args) }
}

const writingTools = new Set(['write_file', 'edit_file', 'save_file', 'replace'])
const runningStates = new Set(['validating', 'scheduled', 'awaiting_approval', 'executing'])
const failedStates = new Set(['error', 'cancelled'])

type Gathered = Pick<TranscriptReading, 'prompts' | 'summary' | 'model' | 'lastId'> & {
  files: Set<string>
  subagents: Set<string>
}

function gatherMessage(message: JsonObject, gathered: Gathered, tally: MessageTally): void {
  const id = asText(message.id)
  // Without an id a message cannot be told from its repetitions, so each one counts as new.
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

/** What was typed in a message of the user; undefined when it carries results of tools instead. */
function promptOf(message: JsonObject): string | undefined {
  if (asArray(message.content).some((part) => asObject(part)?.functionResponse !== undefined))
    return undefined
  // The display text has the names of files in place of their content.
  return cleanPrompt(textIn(message.displayContent) ?? '') ?? cleanPrompt(textIn(message.content) ?? '')
}

function gatherAnswer(
  message: JsonObject,
  id: string | undefined,
  gathered: Gathered,
  tally: MessageTally,
): void {
  const answer = textIn(message.content)?.trim()
  if (answer) gathered.summary = answer
  const model = asText(message.model)
  if (model !== undefined) gathered.model = model
  const calls = asArray(message.toolCalls)
    .map(asObject)
    .filter((call) => call !== undefined && !runningStates.has(asString(call.status) ?? ''))
  const before = id === undefined ? 0 : tally.advanceTools(id, calls.length)
  for (const call of calls.slice(before)) gatherCall(call ?? {}, gathered)
  countTokens(asObject(message.tokens), id, tally)
}

function gatherCall(call: JsonObject, gathered: Gathered): void {
  const subagent = asText(call.agentId)
  if (subagent !== undefined && /^[A-Za-z0-9_-]+$/.test(subagent)) gathered.subagents.add(subagent)
  if (failedStates.has(asString(call.status) ?? '') || !writingTools.has(asString(call.name) ?? '')) return
  const args = asObject(call.args)
  const file = asText(args?.file_path) ?? asText(args?.path) ?? asText(args?.filename)
  if (file !== undefined) gathered.files.add(file)
}

function countTokens(tokens: JsonObject | undefined, id: string | undefined, tally: MessageTally): void {
  if (tokens === undefined) return
  const count = (field: string) => Math.max(0, asNumber(tokens[field]) ?? 0)
  const cacheRead = count('cached')
  // The input includes tokens read from the cache; thoughts are output.
  const usage = {
    input: Math.max(0, count('input') - cacheRead) + count('tool'),
    cacheCreation: 0,
    cacheRead,
    output: count('output') + count('thoughts'),
    calls: 1,
  }
  if (usage.input + usage.cacheRead + usage.output > 0) tally.count(id, usage)
}

/** The text of content, which is a string or a list of parts: text, thoughts and tool calls. */
function textIn(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  const texts = asArray(content).flatMap((part) => {
    if (typeof part === 'string') return part
    const object = asObject(part)
    return object?.thought === true ? [] : (asString(object?.text) ?? [])
  })
  return texts.length === 0 ? undefined : texts.join('\n')
}
