// The tool calls of an answer that write a file, by their ids.
import { asArray, asObject, type JsonObject } from '../../std/json.ts'
import { text } from '../hook-table.ts'

export type FileCalls = Map<string, string>

const writingTools = new Set(['write', 'edit'])

export function fileCalls(message: JsonObject): FileCalls {
  const calls: FileCalls = new Map()
  for (const part of asArray(message.content)) {
    const call = asObject(part)
    const id = text(call?.id)
    if (call?.type !== 'toolCall' || id === undefined || !writingTools.has(text(call.name) ?? '')) continue
    const input = asObject(call.arguments)
    const file = text(input?.path) ?? text(input?.file_path) ?? text(input?.filename)
    if (file !== undefined) calls.set(id, file)
  }
  return calls
}
