// A conversation as text: who said what, and which tools were used.
import type { TranscriptEntry } from '../../model/agent.ts'
import { clean, cleanLines, cut } from '../render/text.ts'
import type { Conversation } from './conversation.ts'
import type { Look } from './look.ts'

const detailLength = 200

export function transcriptLines({ entries, problem }: Conversation, look: Look): string[] {
  if (problem !== undefined) return [`  ${clean(problem)}`]
  if (entries.length === 0) return ['  (none)']
  return entries.flatMap((entry, index) => [...(index > 0 ? [''] : []), ...entryLines(entry, look)])
}

function entryLines(entry: TranscriptEntry, { paint }: Look): string[] {
  if (entry.role === 'tool') {
    const detail = cut(entry.text, detailLength)
    return [`${paint('dim', '[Tool]')} ${clean(entry.name ?? '')}${detail === '' ? '' : `: ${detail}`}`]
  }
  const label = entry.role === 'user' ? paint('cyan', '[User]') : paint('green', '[Assistant]')
  const lines = cleanLines(entry.text.replaceAll('\t', '    ')).split('\n')
  const [first = '', ...rest] = lines.map((line) => line.trimEnd())
  return [`${label} ${first}`.trimEnd(), ...rest]
}
