// Reads the session file of Pi: JSON lines, appended to and never rewritten. They form a tree, because a
// conversation can continue from any earlier point.

import { isAbsolute, join } from 'node:path'
import type { TranscriptEntry, TranscriptFormat, TranscriptReading } from '../../model/agent.ts'
import { addTokens, noTokens, type TokenUsage } from '../../model/tokens.ts'
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
import { parseTranscriptLines, toolDetail } from '../shared/message-text.ts'
import { cleanPiPrompt } from './hooks.ts'

// There are never more tool calls in progress than this.
const rememberedCalls = 64

export const piTranscript: TranscriptFormat = {
  shape: () => 'lines',

  restart: (carry) => carry,

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
    const { files, cwd, forkedAt, calls, subagentTokens, ...rest } = gathered
    return {
      items: lines.length,
      ...rest,
      files: [...files],
      subagents: [],
      tokens: subagentTokens === undefined ? tally.tokens : { ...tally.tokens, subagents: subagentTokens },
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

  // A parent always comes before its children, so what is left is complete, and Pi continues from its last
  // line.
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

interface Gathered extends Pick<TranscriptReading, 'prompts' | 'summary' | 'model' | 'lastId'> {
  files: Set<string>
  /** Where the session runs; file names are relative to it. */
  cwd: string | undefined
  /** When a fork began; older messages belong to its parent. */
  forkedAt: string | undefined
  /** Tool calls whose result is not known yet. */
  calls: FileCalls
  subagentTokens?: TokenUsage
}

/**
 * Every line counts, including those of abandoned branches: their files were written and their tokens spent.
 */
function gatherEntry(entry: JsonObject, gathered: Gathered, tally: MessageTally): void {
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
  // Some versions write the beginning of a session twice.
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
  const prompt = cleanPiPrompt(textIn(message) ?? '')
  if (prompt !== undefined) gathered.prompts.push(prompt)
}

function gatherAnswer(
  message: JsonObject,
  id: string | undefined,
  gathered: Gathered,
  tally: MessageTally,
): void {
  const answer = textIn(message)?.trim()
  if (answer) gathered.summary = answer
  const model = asText(message.model)
  if (model !== undefined) gathered.model = model
  for (const [call, file] of fileCalls(message)) gathered.calls.set(call, file)
  const usage = usageOf(asObject(message.usage), 1)
  if (hasUsage(usage)) tally.count(id, usage)
}

// A file counts once the tool has reported success.
function gatherResult(message: JsonObject, gathered: Gathered): void {
  const call = asText(message.toolCallId) ?? ''
  const file = gathered.calls.get(call)
  gathered.calls.delete(call)
  if (file !== undefined && message.isError !== true) addFile(file, gathered)
  const { files, tokens } = readSubagents(message)
  for (const name of files) addFile(name, gathered)
  if (hasUsage(tokens))
    gathered.subagentTokens = gathered.subagentTokens ? addTokens(gathered.subagentTokens, tokens) : tokens
}

function addFile(name: string, { files, cwd }: Gathered): void {
  const path = name.replace(/^@/, '')
  files.add(cwd === undefined || isAbsolute(path) ? path : join(cwd, path))
}

/** The text of content, which is a string or a list of parts: text, thoughts, tool calls and images. */
function textIn({ content }: JsonObject): string | undefined {
  if (typeof content === 'string') return content
  const texts = asArray(content)
    .map(asObject)
    .flatMap((part) => (part?.type === 'text' ? (asString(part.text) ?? []) : []))
  return texts.length === 0 ? undefined : texts.join('\n')
}

/** Files by the id of the tool call that writes them. */
type FileCalls = Map<string, string>

const writingTools = new Set(['write', 'edit'])

function fileCalls(message: JsonObject): FileCalls {
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

/** The input is without tokens read from the cache. */
function usageOf(usage: JsonObject | undefined, calls: number): TokenUsage {
  const count = (field: string) => Math.max(0, asNumber(usage?.[field]) ?? 0)
  return {
    input: count('input'),
    cacheCreation: count('cacheWrite'),
    cacheRead: count('cacheRead'),
    output: count('output'),
    calls,
  }
}

/** A failed answer has counts, all of them zero. */
function hasUsage({ input, cacheCreation, cacheRead, output }: TokenUsage): boolean {
  return input + cacheCreation + cacheRead + output > 0
}

/**
 * What subagents wrote and spent. Subagents come from extensions; the example that comes with Pi puts their
 * conversations into the result of its tool.
 */
function readSubagents(message: JsonObject): { files: string[]; tokens: TokenUsage } {
  if (message.toolName !== 'subagent') return { files: [], tokens: noTokens }
  const results = objectsIn(asObject(message.details)?.results)
  return { files: results.flatMap(filesOf), tokens: results.map(tokensOf).reduce(addTokens, noTokens) }
}

function tokensOf(result: JsonObject): TokenUsage {
  const usage = asObject(result.usage)
  return usageOf(usage, asNumber(usage?.turns) ?? 0)
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

/** The conversation as Pi itself would continue it, without abandoned branches. */
function readEntries(transcript: string, from: number): TranscriptEntry[] {
  const entries = parseTranscriptLines(transcript)
  return findActiveBranch(entries)
    .filter((at) => at >= from)
    .flatMap((at) => messageEntries(asObject(entries[at]?.message)))
}

function messageEntries(message: JsonObject | undefined): TranscriptEntry[] {
  if (message?.role === 'user') return entryOf('user', cleanPiPrompt(textIn(message) ?? ''))
  if (message?.role === 'bashExecution') return entryOf('user', `!${asString(message.command) ?? ''}`)
  return message?.role === 'assistant' ? asArray(message.content).flatMap(partEntries) : []
}

function partEntries(part: Json): TranscriptEntry[] {
  const object = asObject(part)
  if (object?.type === 'toolCall')
    return [{ role: 'tool', name: asText(object.name) ?? 'unknown', text: toolDetail(object.arguments) }]
  return object?.type === 'text' ? entryOf('assistant', asString(object.text)?.trim()) : []
}

function entryOf(role: 'user' | 'assistant', text: string | undefined): TranscriptEntry[] {
  return text ? [{ role, text }] : []
}

type Lines = (JsonObject | undefined)[]

/** The positions of the lines from the beginning to the last line, oldest first. */
function findActiveBranch(lines: Lines): number[] {
  const ids = new Map(lines.map((line, at) => [asText(line?.id) ?? '', at]))
  const branch: number[] = []
  for (let at = lineBefore(lines, lines.length); at >= 0; at = parentOf(lines, at, ids)) branch.push(at)
  return branch.reverse()
}

/**
 * The line before stands for a parent that cannot be found, because a line is broken or a version did not
 * name it.
 */
function parentOf(lines: Lines, at: number, ids: Map<string, number>): number {
  const parent = lines[at]?.parentId
  if (parent === null) return -1
  const found = ids.get(asText(parent) ?? '') ?? at
  // Never forward: lines that name each other would make an endless loop.
  return found < at ? found : lineBefore(lines, at)
}

function lineBefore(lines: Lines, at: number): number {
  let index = at - 1
  while (index >= 0 && (lines[index] === undefined || lines[index]?.type === 'session')) index -= 1
  return index
}

// The signature of a provider that is JSON and repeats the thought.
const signatureWithText = '"thinkingSignature":"{'

/**
 * The line without the thoughts that a provider repeats in its signature of them, as JSON within a string,
 * where redaction would find no secrets; Pi has the same text beside the signature. The signature itself
 * stays: without it the session could not continue.
 */
export function stripThoughts(line: string): string {
  const entry = line.includes(signatureWithText) ? asObject(parseJson(line)) : undefined
  const message = asObject(entry?.message)
  if (message === undefined) return line
  return JSON.stringify({
    ...entry,
    message: { ...message, content: asArray(message.content).map(stripPart) },
  })
}

function stripPart(part: Json): Json {
  const thought = asObject(part)
  const signature = asObject(parseJson(asText(thought?.thinkingSignature) ?? ''))
  return thought === undefined || signature === undefined
    ? part
    : { ...thought, thinkingSignature: JSON.stringify(withoutText(signature)) }
}

function withoutText({ content: _text, ...signature }: JsonObject): JsonObject {
  return signature.summary === undefined ? signature : { ...signature, summary: [] }
}
