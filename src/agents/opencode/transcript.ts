// Reads the transcript of OpenCode: the export of a session, one JSON document with a list of messages. A
// message is listed once and grows until it is completed.

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

  // An export has no lines to read; anything else is stored as it is.
  readLines: (lines) => ({ items: lines.length, files: [], prompts: [], tokens: noTokens, subagents: [] }),

  readDocument: (document, from, metadata, carry) =>
    readFrom(parseExport(document), from, metadata, asString(carry?.last)),

  readEntries: (document, from) => parseExport(document).messages.slice(from).flatMap(entriesOf),
}

interface Export {
  createdAt: number | undefined
  messages: OpencodeMessage[]
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
    messages: document.messages.map(parseOpencodeMessage),
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
  const gathered: Gathered = { prompts: [], files: new Set(), tokens: noTokens, tasks: [] }
  for (const message of messages.slice(start, settled)) gatherMessage(message, gathered)
  const { files, tasks, ...rest } = gathered
  // An unfinished answer counts once it is finished, but the files it has written count now.
  for (const file of messages.slice(Math.max(start, settled)).flatMap(filesOf)) files.add(file)
  const subagents = tasks.map((task) => parseTaskUsage(metadata, task)).reduce(addTokens, noTokens)
  return {
    ...rest,
    items: Math.max(0, settled - from),
    files: [...files],
    tokens: hasTokens(subagents) ? addTokens(rest.tokens, { ...noTokens, subagents }) : rest.tokens,
    subagents: [],
    ...carryOf(messages[settled - 1], last),
  }
}

// Later messages have higher ids. Messages that an undo removed may return, and were already read.
function carryOf(message: OpencodeMessage | undefined, last = ''): Pick<TranscriptReading, 'carry'> {
  const id = message?.id === undefined || message.id < last ? last : message.id
  return id === '' ? {} : { carry: { last: id } }
}

/** The first message that was not read. After an undo there are fewer messages before it. */
function findNew(messages: OpencodeMessage[], from: number, last: string | undefined): number {
  if (last === undefined || messages[from - 1]?.id === last) return from
  const next = messages.findIndex(({ id = '' }) => id > last)
  return next === -1 ? messages.length : next
}

/** How many messages are final: not the answer that is being written, nor what was typed meanwhile. */
function countSettled(messages: OpencodeMessage[]): number {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  return last >= 0 && isUnfinished(messages[last] as OpencodeMessage) ? last : messages.length
}

/**
 * Where the session's own part begins: a fork begins with a copy, and messages before the first reported one
 * do not count.
 */
function findBeginning({ createdAt: born = 0, messages }: Export, { since }: EventMetadata): number {
  const own = messages.findIndex((message) => (createdAt(message) ?? born) >= born)
  const seen = since === undefined ? 0 : messages.findIndex(({ id }) => id === since)
  return Math.max(own === -1 ? messages.length : own, seen)
}

function entriesOf(message: OpencodeMessage): TranscriptEntry[] {
  if (message.role === 'assistant') return message.parts.flatMap((part) => answerEntry(part) ?? [])
  const prompt = message.role === 'user' ? promptOf(message) : undefined
  return prompt === undefined ? [] : [{ role: 'user', text: prompt }]
}

function answerEntry(part: JsonObject): TranscriptEntry | undefined {
  if (part.type === 'tool')
    return { role: 'tool', name: asString(part.tool) ?? 'unknown', text: detailOf(part) }
  const text = part.type === 'text' ? asText(asString(part.text)?.trim()) : undefined
  return text === undefined ? undefined : { role: 'assistant', text }
}

function detailOf(part: JsonObject): string {
  const state = asObject(part.state)
  const input = asObject(state?.input)
  return toolDetail({ ...input, path: input?.filePath ?? input?.path ?? '' }) || (asText(state?.title) ?? '')
}

const writingTools = new Set(['edit', 'write', 'multiedit', 'patch', 'apply_patch'])

export interface OpencodeMessage {
  id: string | undefined
  role: string | undefined
  info: JsonObject
  parts: JsonObject[]
}

export function parseOpencodeMessage(value: Json): OpencodeMessage {
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
function isUnfinished({ role, info }: OpencodeMessage): boolean {
  return role === 'assistant' && asNumber(asObject(info.time)?.completed) === undefined
}

function createdAt({ info }: OpencodeMessage): number | undefined {
  return asNumber(asObject(info.time)?.created)
}

type Gathered = Pick<TranscriptReading, 'prompts' | 'summary' | 'model' | 'lastId' | 'tokens'> & {
  files: Set<string>
  tasks: string[]
}

function gatherMessage(message: OpencodeMessage, gathered: Gathered): void {
  if (message.id !== undefined) gathered.lastId = message.id
  if (message.role === 'user') gatherPrompt(message, gathered)
  else if (message.role === 'assistant') gatherAnswer(message, gathered)
}

function gatherPrompt(message: OpencodeMessage, gathered: Gathered): void {
  const prompt = promptOf(message)
  if (prompt !== undefined) gathered.prompts.push(prompt)
}

/** What was typed: parts that OpenCode added are marked. */
function promptOf({ parts }: OpencodeMessage): string | undefined {
  const typed = parts.filter(
    (part) => part.type === 'text' && part.synthetic !== true && part.ignored !== true,
  )
  return cleanOpencodePrompt(typed.flatMap((part) => asString(part.text) ?? []).join('\n'))
}

function gatherAnswer(message: OpencodeMessage, gathered: Gathered): void {
  const answer = answerText(message)
  if (answer !== undefined) gathered.summary = answer
  const model = asText(message.info.modelID)
  if (model !== undefined) gathered.model = model
  for (const file of filesOf(message)) gathered.files.add(file)
  for (const { tool, callID } of message.parts)
    if (tool === 'task' && typeof callID === 'string') gathered.tasks.push(callID)
  gathered.tokens = addTokens(gathered.tokens, tokensOf(message.info.tokens))
}

/** The text of the answer without its thoughts; the summary of a compaction is not an answer. */
function answerText({ info, parts }: OpencodeMessage): string | undefined {
  if (info.summary === true) return undefined
  const texts = parts
    .filter((part) => part.type === 'text')
    .flatMap((part) => asText(asString(part.text)?.trim()) ?? [])
  return texts.length === 0 ? undefined : texts.join('\n')
}

function filesOf({ parts }: OpencodeMessage): string[] {
  return parts.flatMap((part) => {
    const state = asObject(part.state)
    if (part.type !== 'tool' || !writingTools.has(asString(part.tool) ?? '') || state?.status !== 'completed')
      return []
    const input = asObject(state.input)
    const file = asText(input?.filePath) ?? asText(input?.path) ?? asText(input?.filename)
    return [...(file === undefined ? [] : [file]), ...patchedFiles(asObject(state.metadata)?.files)]
  })
}

// A patch names its files only in its metadata.
function patchedFiles(files: Json | undefined): string[] {
  const named = asArray(files).flatMap((file) => {
    const { filePath, relativePath, movePath } = asObject(file) ?? {}
    return [asText(filePath) ?? asText(relativePath), asText(movePath)].filter((path) => path !== undefined)
  })
  return [...named, ...asStrings(files)]
}

/** The input is without tokens read from the cache; reasoning is output. */
function tokensOf(value: unknown): TokenUsage {
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

/**
 * The usage of a subagent as metadata of the session, under the id of the tool call. The session of a
 * subagent is not part of its parent's transcript, so the plugin reports its usage when the task ends.
 */
export function formatTaskUsage(task: string, usage: unknown): EventMetadata | undefined {
  const fields = asObject(usage)
  if (fields === undefined) return undefined
  const counts = [fields.input, fields.cache_write, fields.cache_read, fields.output, fields.calls].map(
    asCount,
  )
  return counts.some((count) => count > 0) ? { [keyOf(task)]: JSON.stringify(counts) } : undefined
}

function parseTaskUsage(metadata: EventMetadata, task: string): TokenUsage {
  const counts = parseJson(metadata[keyOf(task)] ?? '')
  if (!Array.isArray(counts)) return noTokens
  const [input = 0, cacheCreation = 0, cacheRead = 0, output = 0, calls = 0] = counts.map(asCount)
  return { input, cacheCreation, cacheRead, output, calls }
}

function keyOf(task: string): string {
  return `task-${plainId(task)}`
}

// OpenCode keeps a prompt that was one argument of its command line in quotes.
const quoted = /^"((?:[^"\\]|\\[\s\S])*)"$/

/** What the user typed; undefined when OpenCode injected all of it. */
export function cleanOpencodePrompt(prompt: string): string | undefined {
  const inner = quoted.exec(prompt.trim())?.[1]
  return cleanPrompt(inner?.includes(' ') ? inner.replaceAll('\\"', '"') : prompt)
}
