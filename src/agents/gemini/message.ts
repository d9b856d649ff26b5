// One message of a Gemini conversation, and what it adds to what is known.
import type { TranscriptReading } from '../../model/agent.ts'
import { asArray, asNumber, asObject, asString, type JsonObject } from '../../std/json.ts'
import { text } from '../hook-table.ts'
import type { MessageTally } from '../message-tally.ts'
import { cleanPrompt } from '../prompt-text.ts'

const writingTools = new Set(['write_file', 'edit_file', 'save_file', 'replace'])
const running = new Set(['validating', 'scheduled', 'awaiting_approval', 'executing'])
const failed = new Set(['error', 'cancelled'])

export type Gathered = Pick<TranscriptReading, 'prompts' | 'summary' | 'model' | 'lastId'> & { files: Set<string>; subagents: Set<string> }

export function nothingGathered(): Gathered {
  return { prompts: [], files: new Set(), subagents: new Set() }
}

export function gatherMessage(message: JsonObject, gathered: Gathered, tally: MessageTally): void {
  const id = text(message.id)
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
  if (asArray(message.content).some((part) => asObject(part)?.functionResponse !== undefined)) return undefined
  // Before files it names were read into it.
  return cleanPrompt(wordsOf(message.displayContent) ?? '') ?? cleanPrompt(wordsOf(message.content) ?? '')
}

function gatherAnswer(message: JsonObject, id: string | undefined, gathered: Gathered, tally: MessageTally): void {
  const said = wordsOf(message.content)?.trim()
  if (said) gathered.summary = said
  const model = text(message.model)
  if (model !== undefined) gathered.model = model
  const calls = asArray(message.toolCalls)
    .map(asObject)
    .filter((call) => call !== undefined && !running.has(asString(call.status) ?? ''))
  const before = id === undefined ? 0 : tally.advanceTools(id, calls.length)
  for (const call of calls.slice(before)) gatherCall(call ?? {}, gathered)
  countTokens(asObject(message.tokens), id, tally)
}

function gatherCall(call: JsonObject, gathered: Gathered): void {
  const subagent = text(call.agentId)
  if (subagent !== undefined && /^[A-Za-z0-9_-]+$/.test(subagent)) gathered.subagents.add(subagent)
  if (failed.has(asString(call.status) ?? '') || !writingTools.has(asString(call.name) ?? '')) return
  const args = asObject(call.args)
  const file = text(args?.file_path) ?? text(args?.path) ?? text(args?.filename)
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
