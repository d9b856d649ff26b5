// What was typed, in an entry of a Claude Code transcript: most entries of the user are results of tools or notes of the program.
import { asObject, type JsonObject } from '../../std/json.ts'
import { joinTexts, textOf, toBlocks } from './content.ts'

export function typedText(entry: JsonObject): string | undefined {
  if (entry.isSidechain === true || entry.isMeta === true || entry.isCompactSummary === true) return undefined
  if (entry.type === 'user' || entry.type === 'human') return textOf(entry)
  // Typed while a turn was running: it never becomes an entry of the user.
  const attachment = asObject(entry.attachment)
  return attachment?.type === 'queued_command' ? joinTexts(toBlocks(attachment.prompt)) : undefined
}
