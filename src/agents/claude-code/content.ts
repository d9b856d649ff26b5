// The content of a message is a string or a list of blocks, depending on version and on who wrote it.
import { asArray, asObject, asString, type JsonObject } from '../../std/json.ts'

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
  return asArray(content)
    .map(asObject)
    .filter((block) => block !== undefined)
}

export function joinTexts(blocks: JsonObject[]): string | undefined {
  const texts = blocks.flatMap((block) => (block.type === 'text' ? (asString(block.text) ?? []) : []))
  return texts.length === 0 ? undefined : texts.join('\n\n')
}
