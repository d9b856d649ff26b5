// Pi's session file: lines that grow at the end. They form a tree, since a conversation can go on from any point of its past.

import { isAbsolute, join } from 'node:path'
import type { TranscriptEntry, TranscriptFormat, TranscriptReading } from '../../model/agent.ts'
import { addTokens, noTokens, type TokenUsage } from '../../model/tokens.ts'
import { EntireError } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import {
  asArray,
  asNumber,
  asObject,
  asString,
  type Json,
  type JsonObject,
  parseJson,
} from '../../std/json.ts'
import { asText, plainId } from '../shared/hook-table.ts'
import { type MessageTally, messageTally } from '../shared/message-tally.ts'
import { toolDetail } from '../shared/message-text.ts'
import { typedPrompt } from './hooks.ts'

// The seal of a thought is for its provider alone and stays as it is, or the session could not go on. One provider seals the words with
// it, as text within text, where no secret in them would be found; Pi has the same words beside the seal.

const wordy = '"thinkingSignature":"{'

/** The line without the words in its seals. */
export function stripThoughts(line: string): string {
  const entry = line.includes(wordy) ? asObject(parseJson(line)) : undefined
  const message = asObject(entry?.message)
  if (message === undefined) return line
  return JSON.stringify({
    ...entry,
    message: { ...message, content: asArray(message.content).map(stripPart) },
  })
}

function stripPart(part: Json): Json {
  const thought = asObject(part)
  const seal = asObject(parseJson(asText(thought?.thinkingSignature) ?? ''))
  return thought === undefined || seal === undefined
    ? part
    : { ...thought, thinkingSignature: JSON.stringify(withoutWords(seal)) }
}

function withoutWords({ content: _words, ...seal }: JsonObject): JsonObject {
  return seal.summary === undefined ? seal : { ...seal, summary: [] }
}

// More calls than this are never under way at once.
const rememberedCalls = 64

export const piTranscript: TranscriptFormat = {
  shape: () => 'lines',

  readLines(lines, carry) {
    const tally = messageTally(asObject(carry?.tally))
    const gathered: Gathered = {
      prompts: [],
      files: new Set(),
      cwd: asText(carry?.cwd),
      forkedAt: asText(carry?.forkedAt),
      calls: new Map(parseCalls(carry)),
    }
    for (const line of lines) {
      const entry = parseEntry(line)
      if (entry) gatherEntry(entry, gathered, tally)
    }
    const { files, cwd, forkedAt, calls, delegated, ...rest } = gathered
    return {
      items: lines.length,
      ...rest,
      files: [...files],
      subagents: [],
      tokens: delegated === undefined ? tally.tokens : { ...tally.tokens, subagents: delegated },
      carry: {
        tally: tally.carry(),
        ...given({ cwd, forkedAt }),
        calls: [...calls].slice(-rememberedCalls),
      } as JsonObject,
    }
  },

  readEntries,

  strip: stripThoughts,

  toolResultId(lines, toolUse) {
    for (const line of lines.toReversed()) {
      const message = line.includes('"toolResult"') ? asObject(parseEntry(line)?.message) : undefined
      if (message?.role === 'toolResult' && plainId(asText(message.toolCallId) ?? '') === toolUse)
        return asText(parseEntry(line)?.id)
    }
    return undefined
  },

  // A parent always comes before its children, so what is left is whole, and Pi goes on from its last line.
  truncateAt(lines, id) {
    const at = lines.findIndex((line) => line.includes(id) && parseEntry(line)?.id === id)
    return at < 0 ? lines : lines.slice(0, at + 1)
  },
}

function parseEntry(line: string): JsonObject | undefined {
  return asObject(parseJson(line))
}

function parseCalls(carry: JsonObject | undefined): [string, string][] {
  return asArray(carry?.calls).flatMap((pair): [string, string][] => {
    const [call, file] = asArray(pair).map(asString)
    return call === undefined || file === undefined ? [] : [[call, file]]
  })
}

// The conversation of a Pi session as Pi itself would go on with it, for people to read: branches that were left are not a part of it.

export function readEntries(transcript: string, from: number): TranscriptEntry[] {
  const entries = transcript.split('\n').map((line) => asObject(parseJson(line)))
  if (transcript.trim() !== '' && entries.every((entry) => entry === undefined))
    throw new EntireError('corrupt-state', 'The transcript has no line that is JSON.')
  return findActiveBranch(entries)
    .filter((at) => at >= from)
    .flatMap((at) => messageEntries(asObject(entries[at]?.message)))
}

function messageEntries(message: JsonObject | undefined): TranscriptEntry[] {
  if (message?.role === 'user') return entryOf('user', typedPrompt(wordsOf(message) ?? ''))
  if (message?.role === 'bashExecution') return entryOf('user', `!${asString(message.command) ?? ''}`)
  return message?.role === 'assistant' ? asArray(message.content).flatMap(partEntries) : []
}

function partEntries(part: Json): TranscriptEntry[] {
  const object = asObject(part)
  if (object?.type === 'toolCall')
    return [{ role: 'tool', name: asText(object.name) ?? 'unknown', text: toolDetail(object.arguments) }]
  return object?.type === 'text' ? entryOf('assistant', asString(object.text)?.trim()) : []
}

function entryOf(role: 'user' | 'assistant', words: string | undefined): TranscriptEntry[] {
  return words ? [{ role, text: words }] : []
}

// The branch of a session that goes on: from its last line back to the beginning.

type Lines = (JsonObject | undefined)[]

/** The positions of its lines, oldest first. */
export function findActiveBranch(lines: Lines): number[] {
  const ids = new Map(lines.map((line, at) => [asText(line?.id) ?? '', at]))
  const branch: number[] = []
  for (let at = before(lines, lines.length); at >= 0; at = parentOf(lines, at, ids)) branch.push(at)
  return branch.reverse()
}

/** Where the parent of a line cannot be found, because a line is broken or a version did not name it, the line before is taken for it. */
function parentOf(lines: Lines, at: number, ids: Map<string, number>): number {
  const parent = lines[at]?.parentId
  if (parent === null) return -1
  const found = ids.get(asText(parent) ?? '') ?? at
  // Never forward: lines that name each other would be walked for ever.
  return found < at ? found : before(lines, at)
}

function before(lines: Lines, at: number): number {
  let index = at - 1
  while (index >= 0 && (lines[index] === undefined || lines[index]?.type === 'session')) index -= 1
  return index
}

// One line of a Pi session, and what it adds to what is known.

export interface Gathered extends Pick<TranscriptReading, 'prompts' | 'summary' | 'model' | 'lastId'> {
  files: Set<string>
  /** Where the session runs: names of files are relative to it. */
  cwd: string | undefined
  /** When a fork began: what is older is its parent's. */
  forkedAt: string | undefined
  /** Calls whose result is not known yet. */
  calls: FileCalls
  /** What subagents spent. */
  delegated?: TokenUsage
}

/** Every line counts, also those of a branch that was left: its files are still there, and what it cost was paid. */
export function gatherEntry(entry: JsonObject, gathered: Gathered, tally: MessageTally): void {
  if (entry.type === 'session') {
    gathered.cwd = asText(entry.cwd) ?? gathered.cwd
    if (asText(entry.parentSession) !== undefined)
      gathered.forkedAt = asText(entry.timestamp) ?? gathered.forkedAt
    return
  }
  const id = asText(entry.id)
  if (id !== undefined) gathered.lastId = id
  const model = entry.type === 'model_change' ? asText(entry.modelId) : undefined
  if (model !== undefined) gathered.model = model
  const message = entry.type === 'message' ? asObject(entry.message) : undefined
  if (message !== undefined && isNew(id, asString(entry.timestamp) ?? '', gathered, tally))
    gatherMessage(message, id, gathered, tally)
}

function isNew(
  id: string | undefined,
  at: string,
  { forkedAt = '' }: Gathered,
  tally: MessageTally,
): boolean {
  if (at !== '' && at < forkedAt) return false
  // Some versions wrote the beginning of a session twice.
  return id === undefined || tally.meet(id, at) === 'new'
}

function gatherMessage(
  message: JsonObject,
  id: string | undefined,
  gathered: Gathered,
  tally: MessageTally,
): void {
  if (message.role === 'user') gatherPrompt(message, gathered)
  else if (message.role === 'assistant') gatherAnswer(message, id, gathered, tally)
  else if (message.role === 'toolResult') gatherResult(message, gathered)
}

function gatherPrompt(message: JsonObject, gathered: Gathered): void {
  const prompt = typedPrompt(wordsOf(message) ?? '')
  if (prompt !== undefined) gathered.prompts.push(prompt)
}

function gatherAnswer(
  message: JsonObject,
  id: string | undefined,
  gathered: Gathered,
  tally: MessageTally,
): void {
  const said = wordsOf(message)?.trim()
  if (said) gathered.summary = said
  const model = asText(message.model)
  if (model !== undefined) gathered.model = model
  for (const [call, file] of fileCalls(message)) gathered.calls.set(call, file)
  const usage = countOf(asObject(message.usage), 1)
  if (isSpent(usage)) tally.count(id, usage)
}

// A file counts when the tool says that it wrote it.
function gatherResult(message: JsonObject, gathered: Gathered): void {
  const call = asText(message.toolCallId) ?? ''
  const file = gathered.calls.get(call)
  gathered.calls.delete(call)
  if (file !== undefined && message.isError !== true) addFile(file, gathered)
  const { files, tokens } = readDelegated(message)
  for (const name of files) addFile(name, gathered)
  if (isSpent(tokens))
    gathered.delegated = gathered.delegated ? addTokens(gathered.delegated, tokens) : tokens
}

function addFile(name: string, { files, cwd }: Gathered): void {
  const path = name.replace(/^@/, '')
  files.add(cwd === undefined || isAbsolute(path) ? path : join(cwd, path))
}

/** A string, or parts of which some are words, some thoughts, some tool calls, some pictures. */
export function wordsOf({ content }: JsonObject): string | undefined {
  if (typeof content === 'string') return content
  const words = asArray(content)
    .map(asObject)
    .flatMap((part) => (part?.type === 'text' ? (asString(part.text) ?? []) : []))
  return words.length === 0 ? undefined : words.join('\n')
}

// The tool calls of an answer that write a file, by their ids.

export type FileCalls = Map<string, string>

const writingTools = new Set(['write', 'edit'])

export function fileCalls(message: JsonObject): FileCalls {
  const calls: FileCalls = new Map()
  for (const part of asArray(message.content)) {
    const call = asObject(part)
    const id = asText(call?.id)
    if (call?.type !== 'toolCall' || id === undefined || !writingTools.has(asText(call.name) ?? '')) continue
    const input = asObject(call.arguments)
    const file = asText(input?.path) ?? asText(input?.file_path) ?? asText(input?.filename)
    if (file !== undefined) calls.set(id, file)
  }
  return calls
}

// Usage as Pi writes it: the input is without what came from the cache.

export function countOf(usage: JsonObject | undefined, calls: number): TokenUsage {
  const count = (field: string) => Math.max(0, asNumber(usage?.[field]) ?? 0)
  return {
    input: count('input'),
    cacheCreation: count('cacheWrite'),
    cacheRead: count('cacheRead'),
    output: count('output'),
    calls,
  }
}

/** An answer that failed has counts, all of them zero. */
export function isSpent({ input, cacheCreation, cacheRead, output }: TokenUsage): boolean {
  return input + cacheCreation + cacheRead + output > 0
}

// Pi has no subagents; extensions do. The one that comes with Pi as an example puts their conversations into the result of its tool.

export interface Delegated {
  files: string[]
  tokens: TokenUsage
}

export function readDelegated(message: JsonObject): Delegated {
  if (message.toolName !== 'subagent') return { files: [], tokens: noTokens }
  const results = objectsIn(asObject(message.details)?.results)
  return { files: results.flatMap(filesOf), tokens: results.map(tokensOf).reduce(addTokens, noTokens) }
}

function tokensOf(result: JsonObject): TokenUsage {
  const usage = asObject(result.usage)
  return countOf(usage, asNumber(usage?.turns) ?? 0)
}

function filesOf(result: JsonObject): string[] {
  const messages = objectsIn(result.messages)
  const failed = new Set(
    messages.filter((message) => message.isError === true).map((message) => asText(message.toolCallId)),
  )
  return messages.flatMap((message) =>
    [...fileCalls(message)].flatMap(([call, file]) => (failed.has(call) ? [] : file)),
  )
}

function objectsIn(value: unknown): JsonObject[] {
  return asArray(value)
    .map(asObject)
    .filter((object) => object !== undefined)
}
