// Reads the text of messages: what the user typed, without what the agent injected; the blocks of a message;
// what a tool was called with.
import { EntireError } from '../../std/errors.ts'
import { asArray, asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { asText } from './hook-table.ts'
import { removeTagged } from './tagged-blocks.ts'

// Agents wrap what they inject into a prompt in these tags.
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

const isInjectedBlock = (name: string) => injectedBlocks.includes(name) || /^ide_\w+$/.test(name)
// A block that was cut off, or that nests itself, still begins with its tag.
const opened = new RegExp(`^<(?:${injectedBlocks.join('|')})[>\\s]`)
const interrupted = /^\[Request interrupted by user[^\]]*\]$/

/** What the user typed; undefined when the agent injected all of it. */
export function cleanPrompt(text: string): string | undefined {
  const cleaned = (text.includes('</') ? removeTagged(text, isInjectedBlock) : text).trim()
  const isInjected =
    (cleaned.startsWith('<') && opened.test(cleaned)) ||
    (cleaned.startsWith('[') && interrupted.test(cleaned))
  return cleaned === '' || isInjected ? undefined : cleaned
}

// The arguments that say most to a person, the best first.
const tellingArguments = [
  'description',
  'command',
  'file_path',
  'path',
  'pattern',
  'notebook_path',
  'url',
  'query',
]

/** What a tool was called with, in one line. */
export function toolDetail(input: unknown): string {
  const fields = asObject(input)
  const key = tellingArguments.find((name) => asText(fields?.[name]) !== undefined)
  return key === undefined ? '' : (asText(fields?.[key]) as string)
}

/** The blocks of a transcript entry's message; a plain string is one text block. */
export function blocksOf(entry: JsonObject): JsonObject[] {
  return toBlocks(asObject(entry.message)?.content)
}

/** The texts of an entry's message, joined. */
export function entryText(entry: JsonObject): string | undefined {
  return joinTexts(blocksOf(entry))
}

/**
 * Content is a string or a list of blocks, depending on the version of the agent and the role of the message.
 */
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

/** One object for each line, undefined where a line has none. Throws when no line of the text has one. */
export function parseTranscriptLines(transcript: string): (JsonObject | undefined)[] {
  const records = transcript.split('\n').map((line) => asObject(parseJson(line)))
  if (transcript.trim() !== '' && records.every((record) => record === undefined))
    throw new EntireError('corrupt-state', 'The transcript has no line that is JSON.')
  return records
}
