// Turns the calls of Entire's plugin for OpenCode into events. OpenCode itself has no hooks.

import type { AgentEvent } from '../../model/event.ts'
import { given } from '../../std/given.ts'
import type { JsonObject } from '../../std/json.ts'
import { asText, type HookBase, type HookTable, plainId } from '../shared/hook-table.ts'
import { cleanOpencodePrompt, formatTaskUsage } from './transcript.ts'

const modelOf = (payload: JsonObject) => given({ model: asText(payload.model) })

export const opencodeHooks: HookTable = {
  'session-start': (_payload, base) => ({ type: 'session-start', ...base }),
  'session-end': (_payload, base) => ({ type: 'session-end', ...base }),
  'turn-start': (payload, base) => {
    const since = asText(payload.since)
    return {
      type: 'turn-start',
      ...base,
      ...modelOf(payload),
      ...given({
        prompt: cleanOpencodePrompt(asText(payload.prompt) ?? ''),
        firstMetadata: since === undefined ? undefined : { since },
      }),
    }
  },
  'turn-end': (payload, base) => ({ type: 'turn-end', ...base, ...modelOf(payload) }),
  compaction: (_payload, base) => ({ type: 'compaction', ...base }),
  'subagent-start': (payload, base) => taskEvent('subagent-start', payload, base),
  'subagent-stop': (payload, base) => taskEvent('subagent-end', payload, base),
}

function taskEvent(type: AgentEvent['type'], payload: JsonObject, base: HookBase): AgentEvent | null {
  const task = asText(payload.tool_use_id)
  if (task === undefined) return null
  const subagent = asText(payload.subagent_id)
  return {
    type,
    ...base,
    toolUse: plainId(task),
    ...given({
      subagent: subagent && plainId(subagent),
      subagentType: asText(payload.subagent_type),
      taskDescription: asText(payload.description),
      metadata: formatTaskUsage(task, payload.usage),
    }),
  }
}
