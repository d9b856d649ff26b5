// Droid's session: one JSON object a line, appended to. Usage is not in it; it only tells how often the model was called.
import type { TranscriptFormat, TranscriptReading } from '../../model/agent.ts'
import { asObject } from '../../std/json.ts'
import { joinTexts } from '../claude-code/content.ts'
import { text } from '../hook-table.ts'
import { messageTally } from '../message-tally.ts'
import { readEntries } from './entries.ts'
import { type DroidMessage, parseMessage } from './message.ts'
import { droidTotals } from './totals.ts'

const writingTools = new Set(['Create', 'Write', 'Edit', 'MultiEdit', 'NotebookEdit'])
const oneCall = { input: 0, cacheCreation: 0, cacheRead: 0, output: 0, calls: 1 }

export const droidTranscript: TranscriptFormat = {
  shape: () => 'lines',

  readLines(lines, carry) {
    const tally = messageTally(carry)
    const reading: Omit<TranscriptReading, 'tokens'> = { items: lines.length, files: [], prompts: [], subagents: [] }
    for (const line of lines) {
      const message = parseMessage(line)
      if (message === undefined) continue
      if (message.id !== undefined) reading.lastId = message.id
      if (message.prompt !== undefined) reading.prompts.push(message.prompt)
      if (!message.isAssistant) continue
      if (message.model !== undefined) reading.model = message.model
      const said = joinTexts(message.blocks)?.trim()
      if (said) reading.summary = said
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
    if (block.name === 'ApplyPatch') return patchedFiles(text(input?.input) ?? text(input?.patch) ?? '')
    const file = text(input?.file_path) ?? text(input?.notebook_path)
    return file !== undefined && writingTools.has(text(block.name) ?? '') ? [file] : []
  })
}

function patchedFiles(patch: string): string[] {
  return [...patch.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)].map(([, file]) => (file as string).trim())
}
