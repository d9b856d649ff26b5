// Claude Code's transcript: one JSON object a line, one line per content block, appended to and never rewritten.
import type { TranscriptFormat, TranscriptReading } from '../../model/agent.ts'
import { asNumber, asObject, asStrings, type JsonObject, parseJson } from '../../std/json.ts'
import { text } from '../hook-table.ts'
import { type MessageTally, messageTally } from '../message-tally.ts'
import { cleanPrompt } from '../prompt-text.ts'
import { blocksOf, joinTexts } from './content.ts'
import { readEntries } from './entries.ts'
import { finishedSubagents } from './finished-subagents.ts'
import { typedText } from './typed-text.ts'

const writingTools = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit', 'mcp__acp__Write', 'mcp__acp__Edit'])
// A subagent that is sent on after it finished finishes again; its transcript must not be counted again.
const rememberedSubagents = 64

export const claudeTranscript: TranscriptFormat = {
  shape: () => 'lines',

  readLines(lines, carry, metadata) {
    const tally = messageTally(carry)
    const before = asStrings(carry?.subagents)
    const reading: Reading = { items: lines.length, files: new Set(), prompts: [], subagents: new Set() }
    for (const line of carry === undefined ? lines.slice(findBeginning(lines, metadata?.firstPrompt)) : lines) {
      const entry = parseEntry(line)
      if (entry === undefined) continue
      readEntry(entry, reading, tally)
      // Few lines do; to look into every one of them would take longer than everything else.
      if (line.includes('agentId') || line.includes('<task-notification>'))
        for (const subagent of finishedSubagents(entry)) reading.subagents.add(subagent)
    }
    const subagents = [...reading.subagents].filter((id) => !before.includes(id))
    return {
      ...reading,
      files: [...reading.files],
      subagents,
      tokens: tally.tokens,
      carry: { ...tally.carry(), subagents: [...before, ...subagents].slice(-rememberedSubagents) },
    }
  },

  readEntries,

  toolResultId(lines, toolUse) {
    for (const line of lines.toReversed()) {
      if (!line.includes(toolUse)) continue
      const entry = parseEntry(line)
      if (entry && blocksOf(entry).some((block) => block.type === 'tool_result' && block.tool_use_id === toolUse)) return text(entry.uuid)
    }
    return undefined
  },

  truncateAt(lines, id) {
    const at = lines.findIndex((line) => line.includes(id) && parseEntry(line)?.uuid === id)
    return at < 0 ? lines : lines.slice(0, at + 1)
  },
}

// A fork begins with a copy of the conversation it goes on from, which was counted there. Nothing marks the copy; what is the fork's own
// begins with the first prompt that was told.
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
}

function parseEntry(line: string): JsonObject | undefined {
  return asObject(parseJson(line))
}

function readEntry(entry: JsonObject, reading: Reading, tally: MessageTally): void {
  const id = text(entry.uuid)
  if (id !== undefined) reading.lastId = id
  if (entry.type === 'assistant') readAssistant(entry, reading, tally)
  else readPrompt(entry, reading)
}

function readAssistant(entry: JsonObject, reading: Reading, tally: MessageTally): void {
  const message = asObject(entry.message)
  const model = text(message?.model)
  // Errors of the API are written as answers of a model of this name.
  if (model === '<synthetic>') return
  if (model !== undefined) reading.model = model
  const blocks = blocksOf(entry)
  const said = joinTexts(blocks)?.trim()
  if (said) reading.summary = said
  for (const block of blocks) {
    if (block.type !== 'tool_use' || !writingTools.has(text(block.name) ?? '')) continue
    const input = asObject(block.input)
    const file = text(input?.file_path) ?? text(input?.notebook_path)
    if (file !== undefined) reading.files.add(file)
  }
  countTokens(message, tally)
}

function countTokens(message: JsonObject | undefined, tally: MessageTally): void {
  const id = text(message?.id)
  const usage = asObject(message?.usage)
  if (id === undefined || usage === undefined) return
  const input = asNumber(usage.input_tokens) ?? 0
  const cacheCreation = asNumber(usage.cache_creation_input_tokens) ?? 0
  const cacheRead = asNumber(usage.cache_read_input_tokens) ?? 0
  const output = asNumber(usage.output_tokens) ?? 0
  // A fork copies messages of its origin with every count at zero.
  if (input + cacheCreation + cacheRead + output === 0) return
  tally.meet(id, '')
  tally.count(id, { input, cacheCreation, cacheRead, output, calls: 1 })
}

function readPrompt(entry: JsonObject, reading: Reading): void {
  const typed = typedText(entry)
  const prompt = typed ? cleanPrompt(typed) : undefined
  if (prompt !== undefined) reading.prompts.push(prompt)
}
