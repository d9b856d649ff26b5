// One line of a Pi session, and what it adds to what is known.
import { isAbsolute, join } from 'node:path'
import type { TranscriptReading } from '../../model/agent.ts'
import { addTokens, type TokenUsage } from '../../model/tokens.ts'
import { asArray, asObject, asString, type JsonObject } from '../../std/json.ts'
import { text } from '../hook-table.ts'
import type { MessageTally } from '../message-tally.ts'
import { type FileCalls, fileCalls } from './file-calls.ts'
import { countOf, isSpent } from './spent.ts'
import { readDelegated } from './subagent-result.ts'
import { typedPrompt } from './typed-prompt.ts'

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
    gathered.cwd = text(entry.cwd) ?? gathered.cwd
    if (text(entry.parentSession) !== undefined) gathered.forkedAt = text(entry.timestamp) ?? gathered.forkedAt
    return
  }
  const id = text(entry.id)
  if (id !== undefined) gathered.lastId = id
  const model = entry.type === 'model_change' ? text(entry.modelId) : undefined
  if (model !== undefined) gathered.model = model
  const message = entry.type === 'message' ? asObject(entry.message) : undefined
  if (message !== undefined && isNew(id, asString(entry.timestamp) ?? '', gathered, tally)) gatherMessage(message, id, gathered, tally)
}

function isNew(id: string | undefined, at: string, { forkedAt = '' }: Gathered, tally: MessageTally): boolean {
  if (at !== '' && at < forkedAt) return false
  // Some versions wrote the beginning of a session twice.
  return id === undefined || tally.meet(id, at) === 'new'
}

function gatherMessage(message: JsonObject, id: string | undefined, gathered: Gathered, tally: MessageTally): void {
  if (message.role === 'user') gatherPrompt(message, gathered)
  else if (message.role === 'assistant') gatherAnswer(message, id, gathered, tally)
  else if (message.role === 'toolResult') gatherResult(message, gathered)
}

function gatherPrompt(message: JsonObject, gathered: Gathered): void {
  const prompt = typedPrompt(wordsOf(message) ?? '')
  if (prompt !== undefined) gathered.prompts.push(prompt)
}

function gatherAnswer(message: JsonObject, id: string | undefined, gathered: Gathered, tally: MessageTally): void {
  const said = wordsOf(message)?.trim()
  if (said) gathered.summary = said
  const model = text(message.model)
  if (model !== undefined) gathered.model = model
  for (const [call, file] of fileCalls(message)) gathered.calls.set(call, file)
  const usage = countOf(asObject(message.usage), 1)
  if (isSpent(usage)) tally.count(id, usage)
}

// A file counts when the tool says that it wrote it.
function gatherResult(message: JsonObject, gathered: Gathered): void {
  const call = text(message.toolCallId) ?? ''
  const file = gathered.calls.get(call)
  gathered.calls.delete(call)
  if (file !== undefined && message.isError !== true) addFile(file, gathered)
  const { files, tokens } = readDelegated(message)
  for (const name of files) addFile(name, gathered)
  if (isSpent(tokens)) gathered.delegated = gathered.delegated ? addTokens(gathered.delegated, tokens) : tokens
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
