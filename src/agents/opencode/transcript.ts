// OpenCode's transcript: what it exports of a session, one JSON document with a list of messages.

import type { TranscriptEntry, TranscriptFormat, TranscriptReading } from '../../model/agent.ts'
import type { EventMetadata } from '../../model/event.ts'
import { addTokens, hasTokens, noTokens, type TokenUsage } from '../../model/tokens.ts'
import { EntireError } from '../../std/errors.ts'
import {
  asArray,
  asCount,
  asNumber,
  asObject,
  asString,
  asStrings,
  type Json,
  type JsonObject,
  parseJson,
} from '../../std/json.ts'
import { asText, plainId } from '../shared/hook-table.ts'
import { cleanPrompt, toolDetail } from '../shared/message-text.ts'

export const opencodeTranscript: TranscriptFormat = {
  shape: () => 'document',

  // There are no lines to be read; what is no export is kept as it is.
  readLines: (lines) => ({ items: lines.length, files: [], prompts: [], tokens: noTokens, subagents: [] }),

  readDocument: (document, from, metadata, carry) =>
    readFrom(parseExport(document), from, metadata, asString(carry?.last)),

  readEntries: (document, from) => parseExport(document).messages.slice(from).flatMap(entriesOf),
}

interface Export {
  createdAt: number | undefined
  messages: Message[]
}

function parseExport(text: string): Export {
  const document = asObject(parseJson(text))
  if (!Array.isArray(document?.messages))
    throw new EntireError(
      'corrupt-state',
      'The OpenCode transcript is not a JSON document with a list of messages.',
      {
        hint: 'Nothing was changed; the next turn exports it again.',
      },
    )
  return {
    createdAt: asNumber(asObject(asObject(document.info)?.time)?.created),
    messages: document.messages.map(parseMessage),
  }
}

function readFrom(
  document: Export,
  from: number,
  metadata: EventMetadata = {},
  last?: string,
): TranscriptReading {
  const { messages } = document
  const settled = countSettled(messages)
  const start =
    from === 0 && last === undefined ? findBeginning(document, metadata) : findNew(messages, from, last)
  const gathered = nothingGathered()
  for (const message of messages.slice(start, settled)) gatherMessage(message, gathered)
  const { files, tasks, ...rest } = gathered
  // What an unfinished answer has written is written; the rest of it counts when it is finished.
  for (const file of messages.slice(Math.max(start, settled)).flatMap(filesOf)) files.add(file)
  const subagents = tasks.map((task) => taskUsage(metadata, task)).reduce(addTokens, noTokens)
  return {
    ...rest,
    items: Math.max(0, settled - from),
    files: [...files],
    tokens: hasTokens(subagents) ? addTokens(rest.tokens, { ...noTokens, subagents }) : rest.tokens,
    subagents: [],
    ...carryOf(messages[settled - 1], last),
  }
}

// Later messages have higher ids. Those that an undo took away may come back, and were read.
function carryOf(message: Message | undefined, last = ''): Pick<TranscriptReading, 'carry'> {
  const id = message?.id === undefined || message.id < last ? last : message.id
  return id === '' ? {} : { carry: { last: id } }
}

/** The first message that was not read. After an undo there are fewer before it than there were. */
function findNew(messages: Message[], from: number, last: string | undefined): number {
  if (last === undefined || messages[from - 1]?.id === last) return from
  const next = messages.findIndex(({ id = '' }) => id > last)
  return next === -1 ? messages.length : next
}

/** The answer that is being written, and what was typed meanwhile, are to be read again. One that others follow was broken off. */
function countSettled(messages: Message[]): number {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  return last >= 0 && isUnfinished(messages[last] as Message) ? last : messages.length
}

/** Where the part begins that counts: a fork begins with a copy of another session, and what came before we were there is not ours. */
function findBeginning({ createdAt: born = 0, messages }: Export, { since }: EventMetadata): number {
  const own = messages.findIndex((message) => (createdAt(message) ?? born) >= born)
  const seen = since === undefined ? 0 : messages.findIndex(({ id }) => id === since)
  return Math.max(own === -1 ? messages.length : own, seen)
}

// The conversation of an OpenCode session, for people to read.

export function entriesOf(message: Message): TranscriptEntry[] {
  if (message.role === 'assistant') return message.parts.flatMap((part) => answerEntry(part) ?? [])
  const prompt = message.role === 'user' ? promptOf(message) : undefined
  return prompt === undefined ? [] : [{ role: 'user', text: prompt }]
}

function answerEntry(part: JsonObject): TranscriptEntry | undefined {
  if (part.type === 'tool')
    return { role: 'tool', name: asString(part.tool) ?? 'unknown', text: detailOf(part) }
  const said = part.type === 'text' ? asText(asString(part.text)?.trim()) : undefined
  return said === undefined ? undefined : { role: 'assistant', text: said }
}

function detailOf(part: JsonObject): string {
  const state = asObject(part.state)
  const input = asObject(state?.input)
  return toolDetail({ ...input, path: input?.filePath ?? input?.path ?? '' }) || (asText(state?.title) ?? '')
}

// One message of an OpenCode session, and what it adds to what is known. A message is listed once and grows until it is completed.

const writingTools = new Set(['edit', 'write', 'multiedit', 'patch', 'apply_patch'])

export interface Message {
  id: string | undefined
  role: string | undefined
  info: JsonObject
  parts: JsonObject[]
}

export function parseMessage(value: Json): Message {
  const message = asObject(value) ?? {}
  const info = asObject(message.info) ?? {}
  return {
    id: asText(info.id),
    role: asText(info.role),
    info,
    parts: asArray(message.parts).map((part) => asObject(part) ?? {}),
  }
}

/** The answer is being written: its tokens are not known yet, and it may name more files. */
export function isUnfinished({ role, info }: Message): boolean {
  return role === 'assistant' && asNumber(asObject(info.time)?.completed) === undefined
}

export function createdAt({ info }: Message): number | undefined {
  return asNumber(asObject(info.time)?.created)
}

export type Gathered = Pick<TranscriptReading, 'prompts' | 'summary' | 'model' | 'lastId' | 'tokens'> & {
  files: Set<string>
  tasks: string[]
}

export function nothingGathered(): Gathered {
  return { prompts: [], files: new Set(), tokens: noTokens, tasks: [] }
}

export function gatherMessage(message: Message, gathered: Gathered): void {
  if (message.id !== undefined) gathered.lastId = message.id
  if (message.role === 'user') gatherPrompt(message, gathered)
  else if (message.role === 'assistant') gatherAnswer(message, gathered)
}

function gatherPrompt(message: Message, gathered: Gathered): void {
  const prompt = promptOf(message)
  if (prompt !== undefined) gathered.prompts.push(prompt)
}

/** What was typed: parts that the agent added say so. */
export function promptOf({ parts }: Message): string | undefined {
  const typed = parts.filter(
    (part) => part.type === 'text' && part.synthetic !== true && part.ignored !== true,
  )
  return typedText(typed.flatMap((part) => asString(part.text) ?? []).join('\n'))
}

function gatherAnswer(message: Message, gathered: Gathered): void {
  const said = wordsOf(message)
  if (said !== undefined) gathered.summary = said
  const model = asText(message.info.modelID)
  if (model !== undefined) gathered.model = model
  for (const file of filesOf(message)) gathered.files.add(file)
  for (const { tool, callID } of message.parts)
    if (tool === 'task' && typeof callID === 'string') gathered.tasks.push(callID)
  gathered.tokens = addTokens(gathered.tokens, tokensOf(message.info.tokens))
}

/** What the answer says, without what was thought; what a compaction left is a summary of everything, and no answer. */
export function wordsOf({ info, parts }: Message): string | undefined {
  if (info.summary === true) return undefined
  const words = parts
    .filter((part) => part.type === 'text')
    .flatMap((part) => asText(asString(part.text)?.trim()) ?? [])
  return words.length === 0 ? undefined : words.join('\n')
}

export function filesOf({ parts }: Message): string[] {
  return parts.flatMap((part) => {
    const state = asObject(part.state)
    if (part.type !== 'tool' || !writingTools.has(asString(part.tool) ?? '') || state?.status !== 'completed')
      return []
    const input = asObject(state.input)
    const file = asText(input?.filePath) ?? asText(input?.path) ?? asText(input?.filename)
    return [...(file === undefined ? [] : [file]), ...patchedFiles(asObject(state.metadata)?.files)]
  })
}

// A patch names its files only in what it reports.
function patchedFiles(files: Json | undefined): string[] {
  const named = asArray(files).flatMap((file) => {
    const { filePath, relativePath, movePath } = asObject(file) ?? {}
    return [asText(filePath) ?? asText(relativePath), asText(movePath)].filter((path) => path !== undefined)
  })
  return [...named, ...asStrings(files)]
}

/** Input is what did not come from the cache, and reasoning is output that is not shown. */
export function tokensOf(value: unknown): TokenUsage {
  const tokens = asObject(value)
  const cache = asObject(tokens?.cache)
  const count = (number: unknown) => Math.max(0, asNumber(number) ?? 0)
  const usage = {
    input: count(tokens?.input),
    cacheCreation: count(cache?.write),
    cacheRead: count(cache?.read),
    output: count(tokens?.output) + count(tokens?.reasoning),
  }
  const isCall = usage.input + usage.cacheCreation + usage.cacheRead + usage.output > 0
  return { ...usage, calls: isCall ? 1 : 0 }
}

// What a subagent used. Its session is not part of its parent's transcript, so the plugin reports it when the task is over, and it is
// kept with the session under the id of the tool call.

export function noteTaskUsage(task: string, usage: unknown): EventMetadata | undefined {
  const fields = asObject(usage)
  if (fields === undefined) return undefined
  const counts = [fields.input, fields.cache_write, fields.cache_read, fields.output, fields.calls].map(
    asCount,
  )
  return counts.some((count) => count > 0) ? { [keyOf(task)]: JSON.stringify(counts) } : undefined
}

export function taskUsage(metadata: EventMetadata, task: string): TokenUsage {
  const counts = parseJson(metadata[keyOf(task)] ?? '')
  if (!Array.isArray(counts)) return noTokens
  const [input = 0, cacheCreation = 0, cacheRead = 0, output = 0, calls = 0] = counts.map(asCount)
  return { input, cacheCreation, cacheRead, output, calls }
}

function keyOf(task: string): string {
  return `task-${plainId(task)}`
}

// What the user typed, of a prompt as OpenCode keeps it: words that came as one argument of a command line are kept in quotes.

const quoted = /^"((?:[^"\\]|\\[\s\S])*)"$/

export function typedText(prompt: string): string | undefined {
  const inner = quoted.exec(prompt.trim())?.[1]
  return cleanPrompt(inner?.includes(' ') ? inner.replaceAll('\\"', '"') : prompt)
}
