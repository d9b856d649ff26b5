// Agents wrap what they inject into a prompt in tags; what is left without them is what the user typed.
import { asArray, asObject, type JsonObject } from '../../std/json.ts'
import { text } from './hook-table.ts'

const injectedBlocks = [
  'local-command-caveat',
  'local-command-stdout',
  'local-command-stderr',
  'system-reminder',
  'command-name',
  'command-message',
  'command-args',
  'bash-input',
  'bash-stdout',
  'bash-stderr',
  'task-notification',
  'session_context',
  'hook_context',
  'state_snapshot',
]

const closed = new RegExp(`<(${injectedBlocks.join('|')}|ide_\\w+)(?:\\s[^>]*)?>[\\s\\S]*?</\\1>`, 'g')
// A block that was cut off, or that nests itself, still begins with its tag.
const opened = new RegExp(`^<(?:${injectedBlocks.join('|')})[>\\s]`)
const interrupted = /^\[Request interrupted by user[^\]]*\]$/

/** What the user typed, or undefined when nothing of it is theirs. */
export function cleanPrompt(text: string): string | undefined {
  // Most prompts have no tag in them, and making such an expression ready takes longer than looking.
  const cleaned = (text.includes('<') ? text.replace(closed, '') : text).trim()
  const isOthers =
    (cleaned.startsWith('<') && opened.test(cleaned)) ||
    (cleaned.startsWith('[') && interrupted.test(cleaned))
  return cleaned === '' || isOthers ? undefined : cleaned
}

// What a tool was called with, in one line: the first argument that says something to a person.

const telling = ['description', 'command', 'file_path', 'path', 'pattern', 'notebook_path', 'url', 'query']

export function toolDetail(input: unknown): string {
  const fields = asObject(input)
  const key = telling.find((name) => text(fields?.[name]) !== undefined)
  return key === undefined ? '' : (text(fields?.[key]) as string)
}

// The content of a message is a string or a list of blocks, depending on version and on who wrote it.

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
    if (type === 'text' && typeof text === 'string')
      joined = joined === undefined ? text : `${joined}\n\n${text}`
  return joined
}
