// One message of an OpenCode session, and what it adds to what is known. A message is listed once and grows until it is completed.
import type { TranscriptReading } from '../../model/agent.ts'
import { addTokens, noTokens, type TokenUsage } from '../../model/tokens.ts'
import { asArray, asNumber, asObject, asString, asStrings, type Json, type JsonObject } from '../../std/json.ts'
import { text } from '../hook-table.ts'
import { typedText } from './typed-text.ts'

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
    id: text(info.id),
    role: text(info.role),
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
  const typed = parts.filter((part) => part.type === 'text' && part.synthetic !== true && part.ignored !== true)
  return typedText(typed.flatMap((part) => asString(part.text) ?? []).join('\n'))
}

function gatherAnswer(message: Message, gathered: Gathered): void {
  const said = wordsOf(message)
  if (said !== undefined) gathered.summary = said
  const model = text(message.info.modelID)
  if (model !== undefined) gathered.model = model
  for (const file of filesOf(message)) gathered.files.add(file)
  for (const { tool, callID } of message.parts) if (tool === 'task' && typeof callID === 'string') gathered.tasks.push(callID)
  gathered.tokens = addTokens(gathered.tokens, tokensOf(message.info.tokens))
}

/** What the answer says, without what was thought; what a compaction left is a summary of everything, and no answer. */
export function wordsOf({ info, parts }: Message): string | undefined {
  if (info.summary === true) return undefined
  const words = parts.filter((part) => part.type === 'text').flatMap((part) => text(asString(part.text)?.trim()) ?? [])
  return words.length === 0 ? undefined : words.join('\n')
}

export function filesOf({ parts }: Message): string[] {
  return parts.flatMap((part) => {
    const state = asObject(part.state)
    if (part.type !== 'tool' || !writingTools.has(asString(part.tool) ?? '') || state?.status !== 'completed') return []
    const input = asObject(state.input)
    const file = text(input?.filePath) ?? text(input?.path) ?? text(input?.filename)
    return [...(file === undefined ? [] : [file]), ...patchedFiles(asObject(state.metadata)?.files)]
  })
}

// A patch names its files only in what it reports.
function patchedFiles(files: Json | undefined): string[] {
  const named = asArray(files).flatMap((file) => {
    const { filePath, relativePath, movePath } = asObject(file) ?? {}
    return [text(filePath) ?? text(relativePath), text(movePath)].filter((path) => path !== undefined)
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
