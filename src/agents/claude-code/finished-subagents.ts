// The main transcript tells in three ways, depending on version and on how it ran, that a subagent has finished.
import { asObject, asString, type JsonObject } from '../../std/json.ts'
import { text } from '../hook-table.ts'
import { blocksOf, joinTexts, toBlocks } from './content.ts'
import { isLaunch } from './launch.ts'
import { isSafeId } from './session-files.ts'

export function finishedSubagents(entry: JsonObject): string[] {
  const found = entry.type === 'user' ? [...fromResult(entry), ...fromNotification(joinTexts(blocksOf(entry)))] : fromQueue(entry)
  return found.filter(isSafeId)
}

function fromResult(entry: JsonObject): string[] {
  const result = asObject(entry.toolUseResult)
  if (isLaunch(result)) return []
  const id = text(result?.agentId)
  return id !== undefined ? [id] : fromResultText(entry)
}

/** Before results were recorded as data, the id stood in the text for the model. */
function fromResultText(entry: JsonObject): string[] {
  const texts = blocksOf(entry).flatMap((block) => (block.type === 'tool_result' ? (joinTexts(toBlocks(block.content)) ?? []) : []))
  const finished = texts.filter((result) => !result.startsWith('Async agent launched'))
  return finished.flatMap((result) => [...result.matchAll(/\bagentId: ([A-Za-z0-9]+)/g)].map(([, id = '']) => id))
}

function fromNotification(words: string | undefined): string[] {
  if (!words?.trimStart().startsWith('<task-notification>')) return []
  const id = /<task-id>([^<]+)<\/task-id>/.exec(words)?.[1]
  const status = /<status>([^<]+)<\/status>/.exec(words)?.[1]
  return id === undefined || status === 'running' ? [] : [id.trim()]
}

function fromQueue(entry: JsonObject): string[] {
  const attachment = asObject(entry.attachment)
  return attachment?.type === 'queued_command' ? fromNotification(asString(attachment.prompt)) : []
}
