// One line of a Droid session. Runs of hooks and context for the model are messages of the user too, but nobody typed them.
import { asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { joinTexts, toBlocks } from '../claude-code/content.ts'
import { text } from '../hook-table.ts'
import { cleanPrompt } from '../prompt-text.ts'

export interface DroidMessage {
  id: string | undefined
  isAssistant: boolean
  blocks: JsonObject[]
  model: string | undefined
  /** What the user typed. */
  prompt: string | undefined
}

/** Undefined for every other kind of line. */
export function parseMessage(line: string): DroidMessage | undefined {
  const entry = asObject(parseJson(line))
  const message = entry?.type === 'message' ? asObject(entry.message) : undefined
  if (entry === undefined || message === undefined) return undefined
  const id = text(entry.id)
  const blocks = toBlocks(message.content)
  const isTyped = message.role === 'user' && text(message.visibility) === undefined && id?.startsWith('context-') !== true
  return {
    id,
    isAssistant: message.role === 'assistant',
    blocks,
    model: modelName(message.modelId),
    prompt: isTyped ? cleanPrompt(joinTexts(blocks) ?? '') : undefined,
  }
}

/** Models that the user added bear a mark. */
export function modelName(value: unknown): string | undefined {
  return text(text(value)?.replace(/^custom:/, ''))
}
