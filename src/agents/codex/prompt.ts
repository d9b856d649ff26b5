// What the user typed, among the messages that Codex sends in the user's name.
import { asArray, asObject, asStrings, type JsonObject } from '../../std/json.ts'
import { text } from '../hook-table.ts'
import { cleanPrompt } from '../prompt-text.ts'

const injectedBlocks = [
  'environment_context',
  'user_instructions',
  'subagent_notification',
  'turn_aborted',
  'hook_prompt',
  'skill',
  'user_shell_command',
  'user_action',
]
const injected = new RegExp(`^\\s*(?:<(?:${injectedBlocks.join('|')})[\\s>]|</?image\\b|# AGENTS\\.md instructions)`)
// Editors put what is open in them before the prompt.
const editorContext = /^# Context from my IDE setup:[\s\S]*?^## My request for Codex:\n/m

/** Of a message in the user's name: some say of each part what it is, older ones have to be recognised. */
export function promptOf(message: JsonObject): string | undefined {
  if (message.type !== 'message' || message.role !== 'user') return undefined
  const kinds = asStrings(asObject(message.internal_chat_message_metadata_passthrough)?.content_item_kinds)
  const parts = asArray(message.content).flatMap((part, at) => {
    const isTyped = kinds.length === 0 || kinds[at]?.startsWith('user.')
    return (isTyped && typedText(text(asObject(part)?.text) ?? '')) || []
  })
  return parts.length === 0 ? undefined : parts.join('\n')
}

/** Undefined when nothing of it was typed. */
export function typedText(words: string): string | undefined {
  return injected.test(words) ? undefined : cleanPrompt(words.replace(editorContext, ''))
}
