// Finds out which subagents of Claude Code have finished, and which tool call started one: a background
// subagent reports its end without the id of that call.

import { readText } from '../../std/file.ts'
import { given } from '../../std/given.ts'
import { asArray, asObject, asString, type JsonObject, parseJson } from '../../std/json.ts'
import { readLastLines } from '../shared/file-tail.ts'
import { asText } from '../shared/hook-table.ts'
import { blocksOf, joinTexts, toBlocks } from '../shared/message-text.ts'
import { isSafeId } from './session-files.ts'

// A launch further back than this is not worth the time of a hook.
const searchedBytes = 2 * 1024 * 1024

export interface Launch {
  toolUse?: string
  description?: string
}

/** Whether the tool call only started a subagent, which continues in the background. */
export function isLaunch(result: JsonObject | undefined): boolean {
  return result?.isAsync === true || /_(launched|spawned)$/.test(asText(result?.status) ?? '')
}

export function findLaunch(
  transcript: string | undefined,
  subagentFile: string | undefined,
  subagent: string,
): Launch | undefined {
  const described = subagentFile === undefined ? undefined : readDescription(subagentFile)
  if (described?.toolUse !== undefined || transcript === undefined) return described
  return { ...described, ...findLaunchResult(transcript, subagent) }
}

function readDescription(subagentFile: string): Launch | undefined {
  const meta = asObject(parseJson(readText(subagentFile.replace(/\.jsonl$/, '.meta.json')) ?? ''))
  return meta && given({ toolUse: asText(meta.toolUseId), description: asText(meta.description) })
}

function findLaunchResult(transcript: string, subagent: string): Launch | undefined {
  const lines = readLastLines(transcript, searchedBytes)
  for (const line of lines.reverse()) {
    if (!line.includes(subagent)) continue
    const entry = asObject(parseJson(line))
    const result = asObject(entry?.toolUseResult)
    if (result?.agentId !== subagent) continue
    for (const block of asArray(asObject(entry?.message)?.content)) {
      const toolUse = asText(asObject(block)?.tool_use_id)
      if (toolUse !== undefined) return { toolUse, ...given({ description: asText(result.description) }) }
    }
  }
  return undefined
}

/**
 * The main transcript reports the end of a subagent in three ways, depending on the version and on how it
 * ran.
 */
export function subagentsFinishedIn(entry: JsonObject): string[] {
  const found =
    entry.type === 'user'
      ? [...fromResult(entry), ...fromNotification(joinTexts(blocksOf(entry)))]
      : fromQueue(entry)
  return found.filter(isSafeId)
}

function fromResult(entry: JsonObject): string[] {
  const result = asObject(entry.toolUseResult)
  if (isLaunch(result)) return []
  const id = asText(result?.agentId)
  return id !== undefined ? [id] : fromResultText(entry)
}

/** Before results were recorded as data, the id was in the text for the model. */
function fromResultText(entry: JsonObject): string[] {
  const texts = blocksOf(entry).flatMap((block) =>
    block.type === 'tool_result' ? (joinTexts(toBlocks(block.content)) ?? []) : [],
  )
  const finished = texts.filter((result) => !result.startsWith('Async agent launched'))
  return finished.flatMap((result) =>
    [...result.matchAll(/\bagentId: ([A-Za-z0-9]+)/g)].map(([, id = '']) => id),
  )
}

function fromNotification(text: string | undefined): string[] {
  if (!text?.trimStart().startsWith('<task-notification>')) return []
  const id = /<task-id>([^<]+)<\/task-id>/.exec(text)?.[1]
  const status = /<status>([^<]+)<\/status>/.exec(text)?.[1]
  return id === undefined || status === 'running' ? [] : [id.trim()]
}

function fromQueue(entry: JsonObject): string[] {
  const attachment = asObject(entry.attachment)
  return attachment?.type === 'queued_command' ? fromNotification(asString(attachment.prompt)) : []
}
