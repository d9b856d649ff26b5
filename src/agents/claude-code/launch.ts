// A background subagent reports its end without the id of the tool call that started it; that id is found in the files beside it.
import { readText } from '../../std/file.ts'
import { asArray, asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { readLastLines } from '../file-tail.ts'
import { given, text } from '../hook-table.ts'

// A launch further back than this is not worth the time of a hook.
const searchedBytes = 2 * 1024 * 1024

export interface Launch {
  toolUse?: string
  description?: string
}

/** The tool call only started a subagent that goes on in the background. */
export function isLaunch(result: JsonObject | undefined): boolean {
  return result?.isAsync === true || /_(launched|spawned)$/.test(text(result?.status) ?? '')
}

export function findLaunch(transcript: string | undefined, subagentFile: string | undefined, subagent: string): Launch | undefined {
  const described = subagentFile === undefined ? undefined : readDescription(subagentFile)
  if (described?.toolUse !== undefined || transcript === undefined) return described
  return { ...described, ...findLaunchResult(transcript, subagent) }
}

function readDescription(subagentFile: string): Launch | undefined {
  const meta = asObject(parseJson(readText(subagentFile.replace(/\.jsonl$/, '.meta.json')) ?? ''))
  return meta && given({ toolUse: text(meta.toolUseId), description: text(meta.description) })
}

function findLaunchResult(transcript: string, subagent: string): Launch | undefined {
  const lines = readLastLines(transcript, searchedBytes)
  for (const line of lines.reverse()) {
    if (!line.includes(subagent)) continue
    const entry = asObject(parseJson(line))
    const result = asObject(entry?.toolUseResult)
    if (result?.agentId !== subagent) continue
    for (const block of asArray(asObject(entry?.message)?.content)) {
      const toolUse = text(asObject(block)?.tool_use_id)
      if (toolUse !== undefined) return { toolUse, ...given({ description: text(result.description) }) }
    }
  }
  return undefined
}
