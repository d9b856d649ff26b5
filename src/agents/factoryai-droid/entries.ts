// The conversation of a Droid session, for people to read.
import type { TranscriptEntry } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import { parseJson } from '../../std/json.ts'
import { text } from '../hook-table.ts'
import { toolDetail } from '../tool-detail.ts'
import { parseMessage } from './message.ts'

export function readEntries(transcript: string, from: number): TranscriptEntry[] {
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
    if (block.type === 'tool_use') return [{ role: 'tool', name: text(block.name) ?? 'unknown', text: toolDetail(block.input) }]
    const said = block.type === 'text' ? text(block.text)?.trim() : undefined
    return said ? [{ role: 'assistant', text: said }] : []
  })
}
