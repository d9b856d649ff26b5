// What a subagent used. Its session is not part of its parent's transcript, so the plugin reports it when the task is over, and it is
// kept with the session under the id of the tool call.
import type { EventMetadata } from '../../model/event.ts'
import { noTokens, type TokenUsage } from '../../model/tokens.ts'
import { asCount, asObject, parseJson } from '../../std/json.ts'
import { plainId } from '../task-id.ts'

export function noteTaskUsage(task: string, usage: unknown): EventMetadata | undefined {
  const fields = asObject(usage)
  if (fields === undefined) return undefined
  const counts = [fields.input, fields.cache_write, fields.cache_read, fields.output, fields.calls].map(asCount)
  return counts.some((count) => count > 0) ? { [keyOf(task)]: JSON.stringify(counts) } : undefined
}

export function taskUsage(metadata: EventMetadata, task: string): TokenUsage {
  const counts = parseJson(metadata[keyOf(task)] ?? '')
  if (!Array.isArray(counts)) return noTokens
  const [input = 0, cacheCreation = 0, cacheRead = 0, output = 0, calls = 0] = counts.map(asCount)
  return { input, cacheCreation, cacheRead, output, calls }
}

function keyOf(task: string): string {
  return `task-${plainId(task)}`
}
