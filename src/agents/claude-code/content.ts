// The content of a message is a string or a list of blocks, depending on version and on who wrote it.
import { asArray, asObject, type JsonObject } from '../../std/json.ts'

/** The blocks of a transcript entry's message; a plain string is one text block. */
export function blocksOf(entry: JsonObject): JsonObject[] {
  return toBlocks(asObject(entry.message)?.content)
}

/** The texts of an entry's message, joined. */
export function textOf(entry: JsonObject): string | undefined {
  return joinTexts(blocksOf(entry))
}

export function toBlocks(content: unknown): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  const blocks: JsonObject[] = []
  for (const item of asArray(content)) {
    const block = asObject(item)
    if (block !== undefined) blocks.push(block)
  }
  return blocks
}

export function joinTexts(blocks: JsonObject[]): string | undefined {
  let joined: string | undefined
  for (const { type, text } of blocks)
    if (type === 'text' && typeof text === 'string') joined = joined === undefined ? text : `${joined}\n\n${text}`
  return joined
}
