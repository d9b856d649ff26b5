// Reads the session of Droid: JSON lines, appended to. They show how often the model was called; its usage is
// in another file.

import type { TranscriptEntry, TranscriptFormat, TranscriptReading, UsageTotals } from '../../model/agent.ts'
import { noTokens, subtractTokens, type TokenUsage, totalTokens } from '../../model/tokens.ts'
import { EntireError } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import { asCount, asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { asText } from '../shared/hook-table.ts'
import { messageTally } from '../shared/message-tally.ts'
import { cleanPrompt, joinTexts, toBlocks, toolDetail } from '../shared/message-text.ts'

/** The usage is a running total in the settings of the session, a file beside the transcript. */
export const droidTotals: UsageTotals = {
  path: (transcript) => transcript.replace(/\.jsonl$/, '.settings.json'),

  parse(text) {
    const settings = asObject(parseJson(text))
    const own = settings && parseUsage(settings.tokenUsage)
    if (settings === undefined || own === undefined) return undefined
    // Subagents have their own sessions. How often they called the model is unknown, but each did at least
    // once.
    const subagents = subtractTokens(parseUsage(settings.inclusiveTokenUsage) ?? noTokens, own)
    const children = Object.keys(asObject(settings.childInclusiveTokenUsageBySessionId) ?? {}).length
    const tokens =
      totalTokens(subagents) === 0
        ? own
        : { ...own, subagents: { ...subagents, calls: Math.max(children, 1) } }
    return { tokens, ...given({ model: modelName(settings.model) }) }
  },
}

function parseUsage(value: unknown): TokenUsage | undefined {
  const usage = asObject(value)
  return (
    usage && {
      input: asCount(usage.inputTokens),
      cacheCreation: asCount(usage.cacheCreationTokens),
      cacheRead: asCount(usage.cacheReadTokens),
      output: asCount(usage.outputTokens),
      calls: 0,
    }
  )
}

const writingTools = new Set(['Create', 'Write', 'Edit', 'MultiEdit', 'NotebookEdit'])
const oneCall = { input: 0, cacheCreation: 0, cacheRead: 0, output: 0, calls: 1 }

export const droidTranscript: TranscriptFormat = {
  shape: () => 'lines',

  readLines(lines, carry) {
    const tally = messageTally(carry)
    const reading: Omit<TranscriptReading, 'tokens'> = {
      items: lines.length,
      files: [],
      prompts: [],
      subagents: [],
    }
    for (const line of lines) {
      const message = parseMessage(line)
      if (message === undefined) continue
      if (message.id !== undefined) reading.lastId = message.id
      if (message.prompt !== undefined) reading.prompts.push(message.prompt)
      if (!message.isAssistant) continue
      if (message.model !== undefined) reading.model = message.model
      const answer = joinTexts(message.blocks)?.trim()
      if (answer) reading.summary = answer
      reading.files.push(...writtenFiles(message))
      if (message.id === undefined) continue
      tally.meet(message.id, '')
      tally.count(message.id, oneCall)
    }
    return { ...reading, files: [...new Set(reading.files)], tokens: tally.tokens, carry: tally.carry() }
  },

  readEntries,
  totals: droidTotals,

  truncateAt(lines, id) {
    const at = lines.findIndex((line) => line.includes(id) && parseMessage(line)?.id === id)
    return at < 0 ? lines : lines.slice(0, at + 1)
  },
}

function writtenFiles({ blocks }: DroidMessage): string[] {
  return blocks.flatMap((block) => {
    if (block.type !== 'tool_use') return []
    const input = asObject(block.input)
    if (block.name === 'ApplyPatch') return patchedFiles(asText(input?.input) ?? asText(input?.patch) ?? '')
    const file = asText(input?.file_path) ?? asText(input?.notebook_path)
    return file !== undefined && writingTools.has(asText(block.name) ?? '') ? [file] : []
  })
}

function patchedFiles(patch: string): string[] {
  return [...patch.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)].map(([, file]) =>
    (file as string).trim(),
  )
}

function readEntries(transcript: string, from: number): TranscriptEntry[] {
  const lines = transcript.split('\n')
  if (transcript.trim() !== '' && lines.every((line) => parseJson(line) === undefined))
    throw new EntireError('corrupt-state', 'The transcript has no line that is JSON.')
  return lines.slice(from).flatMap(entriesOf)
}

function entriesOf(line: string): TranscriptEntry[] {
  const message = parseMessage(line)
  if (message?.prompt !== undefined) return [{ role: 'user', text: message.prompt }]
  if (!message?.isAssistant) return []
  return message.blocks.flatMap((block): TranscriptEntry[] => {
    if (block.type === 'tool_use')
      return [{ role: 'tool', name: asText(block.name) ?? 'unknown', text: toolDetail(block.input) }]
    const text = block.type === 'text' ? asText(block.text)?.trim() : undefined
    return text ? [{ role: 'assistant', text }] : []
  })
}

interface DroidMessage {
  id: string | undefined
  isAssistant: boolean
  blocks: JsonObject[]
  model: string | undefined
  /** What the user typed; runs of hooks and context for the model are messages of the user as well. */
  prompt: string | undefined
}

/** Undefined for a line that is not a message. */
function parseMessage(line: string): DroidMessage | undefined {
  const entry = asObject(parseJson(line))
  const message = entry?.type === 'message' ? asObject(entry.message) : undefined
  if (entry === undefined || message === undefined) return undefined
  const id = asText(entry.id)
  const blocks = toBlocks(message.content)
  const isTyped =
    message.role === 'user' && asText(message.visibility) === undefined && id?.startsWith('context-') !== true
  return {
    id,
    isAssistant: message.role === 'assistant',
    blocks,
    model: modelName(message.modelId),
    prompt: isTyped ? cleanPrompt(joinTexts(blocks) ?? '') : undefined,
  }
}

/** Models that the user added have a prefix. */
function modelName(value: unknown): string | undefined {
  return asText(asText(value)?.replace(/^custom:/, ''))
}
