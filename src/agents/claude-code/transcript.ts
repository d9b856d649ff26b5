// Reads the transcript of Claude Code: JSON lines, one for each content block, appended to and never
// rewritten.

import type {
  AskedPrompt,
  TranscriptEntry,
  TranscriptFormat,
  TranscriptReading,
  TypedCommand,
} from '../../model/agent.ts'
import { given } from '../../std/given.ts'
import { asNumber, asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { asText } from '../shared/hook-table.ts'
import { type MessageTally, messageTally } from '../shared/message-tally.ts'
import {
  blocksOf,
  cleanPrompt,
  entryText,
  joinTexts,
  parseTranscriptLines,
  toBlocks,
  toolDetail,
} from '../shared/message-text.ts'
import { subagentsFinishedIn } from './subagents.ts'

const writingTools = new Set([
  'Write',
  'Edit',
  'MultiEdit',
  'NotebookEdit',
  'mcp__acp__Write',
  'mcp__acp__Edit',
])

export const claudeTranscript: TranscriptFormat = {
  shape: () => 'lines',

  readLines(lines, carry, metadata) {
    const tally = messageTally(carry)
    const reading: Reading = { items: lines.length, files: new Set(), prompts: [], subagents: new Set() }
    for (const line of carry === undefined
      ? lines.slice(findBeginning(lines, metadata?.firstPrompt))
      : lines) {
      const entry = parseEntry(line)
      if (entry === undefined) continue
      readEntry(entry, reading, tally)
      // Few lines contain these; looking into every entry would take longer than everything else.
      if (line.includes('agentId') || line.includes('<task-notification>'))
        for (const subagent of subagentsFinishedIn(entry)) reading.subagents.add(subagent)
    }
    return {
      ...reading,
      files: [...reading.files],
      subagents: [...reading.subagents],
      tokens: tally.tokens,
      carry: tally.carry(),
    }
  },

  restart: (carry) => carry,

  identify(line) {
    const entry = parseEntry(line)
    const message = entry?.type === 'assistant' ? asText(asObject(entry.message)?.id) : undefined
    const ids = [asText(entry?.uuid), message].filter((id) => id !== undefined)
    return { ids, ...given({ answeredAt: message && asText(entry?.timestamp) }) }
  },

  readEntries: (transcript, from) =>
    withoutAbandoned(parseTranscriptLines(transcript))
      .slice(from)
      .flatMap((entry) => (entry === undefined ? [] : entriesOf(entry))),

  toolResultId(lines, toolUse) {
    for (const line of lines.toReversed()) {
      if (!line.includes(toolUse)) continue
      const entry = parseEntry(line)
      if (
        entry &&
        blocksOf(entry).some((block) => block.type === 'tool_result' && block.tool_use_id === toolUse)
      )
        return asText(entry.uuid)
    }
    return undefined
  },

  truncateAt(lines, id) {
    const at = lines.findIndex((line) => line.includes(id) && parseEntry(line)?.uuid === id)
    return at < 0 ? lines : lines.slice(0, at + 1)
  },
}

// A fork begins with a copy of the conversation it continues, which was counted there. Nothing marks the
// copy; what is new in the fork begins with the first prompt that a hook reported.
function findBeginning(lines: string[], prompt: string | undefined): number {
  if (prompt === undefined) return 0
  return Math.max(
    0,
    lines.findIndex((line) => line.includes(prompt) && parseEntry(line)?.promptId === prompt),
  )
}

type Reading = Pick<TranscriptReading, 'items' | 'prompts' | 'summary' | 'model' | 'lastId'> & {
  files: Set<string>
  subagents: Set<string>
  asked?: AskedPrompt[]
  typed?: TypedCommand[]
}

function parseEntry(line: string): JsonObject | undefined {
  return asObject(parseJson(line))
}

function readEntry(entry: JsonObject, reading: Reading, tally: MessageTally): void {
  const id = asText(entry.uuid)
  if (id !== undefined) reading.lastId = id
  if (entry.type === 'assistant') readAssistant(entry, reading, tally)
  else readPrompt(entry, reading)
}

function readAssistant(entry: JsonObject, reading: Reading, tally: MessageTally): void {
  const message = asObject(entry.message)
  const model = asText(message?.model)
  // Errors of the API are written as answers of a model with this name.
  if (model === '<synthetic>') return
  if (model !== undefined) reading.model = model
  const blocks = blocksOf(entry)
  const said = joinTexts(blocks)?.trim()
  if (said) reading.summary = said
  for (const block of blocks) {
    if (block.type !== 'tool_use' || !writingTools.has(asText(block.name) ?? '')) continue
    const input = asObject(block.input)
    const file = asText(input?.file_path) ?? asText(input?.notebook_path)
    if (file !== undefined) reading.files.add(file)
  }
  countTokens(message, asText(entry.timestamp) ?? '', tally)
}

function countTokens(message: JsonObject | undefined, at: string, tally: MessageTally): void {
  const id = asText(message?.id)
  const usage = asObject(message?.usage)
  if (id === undefined || usage === undefined) return
  const input = asNumber(usage.input_tokens) ?? 0
  const cacheCreation = asNumber(usage.cache_creation_input_tokens) ?? 0
  const cacheRead = asNumber(usage.cache_read_input_tokens) ?? 0
  const output = asNumber(usage.output_tokens) ?? 0
  // A fork copies messages of its origin with every count at zero.
  if (input + cacheCreation + cacheRead + output === 0) return
  if (tally.meet(id, at) !== 'old') tally.count(id, { input, cacheCreation, cacheRead, output, calls: 1 })
}

function readPrompt(entry: JsonObject, reading: Reading): void {
  const typed = typedText(entry)
  const prompt = typed ? cleanPrompt(typed) : undefined
  if (prompt !== undefined) {
    reading.prompts.push(prompt)
    const [entryId, follows] = [asText(entry.uuid), followedBy(entry)]
    if (entryId !== undefined && follows !== undefined)
      reading.asked = [...(reading.asked ?? []), { prompt, entry: entryId, follows }]
  } else if (typed?.startsWith('<bash-')) readCommand(typed, asText(entry.timestamp) ?? '', reading)
}

/** The entry before this one in the conversation; empty for the first. */
function followedBy({ parentUuid }: JsonObject): string | undefined {
  return parentUuid === null ? '' : asText(parentUuid)
}

// What is typed behind an exclamation mark runs at once: one entry when it begins, one with what it printed.
function readCommand(text: string, at: string, reading: Reading): void {
  const [, command] = /^<bash-input>(.*)<\/bash-input>\s*$/s.exec(text) ?? []
  if (command !== undefined) reading.typed = [...(reading.typed ?? []), { text: command, from: at, to: at }]
  else {
    const last = reading.typed?.at(-1)
    if (last !== undefined) last.to = at
  }
}

// A skill is passed to the model as if the user had typed it.
const skill = 'Base directory for this skill:'

// After a rewind the next prompt follows the same entry as the first that was abandoned.
function withoutAbandoned(entries: (JsonObject | undefined)[]): (JsonObject | undefined)[] {
  const kept = [...entries]
  const prompts = new Map<string, number>()
  for (const [index, entry] of entries.entries()) {
    const follows = entry && cleanPrompt(typedText(entry) ?? '') !== undefined ? followedBy(entry) : undefined
    if (follows === undefined) continue
    kept.fill(undefined, prompts.get(follows) ?? index, index)
    prompts.set(follows, index)
  }
  return kept
}

function entriesOf(entry: JsonObject): TranscriptEntry[] {
  if (entry.isSidechain === true) return []
  return entry.type === 'assistant' ? answerEntries(entry) : promptEntries(entry)
}

function promptEntries(entry: JsonObject): TranscriptEntry[] {
  const prompt = cleanPrompt(typedText(entry) ?? '')
  return prompt === undefined || prompt.startsWith(skill) ? [] : [{ role: 'user', text: prompt }]
}

function answerEntries(entry: JsonObject): TranscriptEntry[] {
  // An error of the API.
  if (asObject(entry.message)?.model === '<synthetic>') return []
  return blocksOf(entry).flatMap((block): TranscriptEntry[] => {
    if (block.type === 'tool_use')
      return [{ role: 'tool', name: asText(block.name) ?? 'unknown', text: toolDetail(block.input) }]
    const said = block.type === 'text' ? asText(block.text)?.trim() : undefined
    return said ? [{ role: 'assistant', text: said }] : []
  })
}

/** What was typed: most entries of the user are results of tools or notes of the program. */
function typedText(entry: JsonObject): string | undefined {
  if (entry.isSidechain === true || entry.isMeta === true || entry.isCompactSummary === true) return undefined
  if (entry.type === 'user' || entry.type === 'human') return entryText(entry)
  // A prompt typed while a turn was running never becomes an entry of the user.
  const attachment = asObject(entry.attachment)
  return attachment?.type === 'queued_command' ? joinTexts(toBlocks(attachment.prompt)) : undefined
}
