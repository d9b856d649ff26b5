// What the calls of our plugin mean. The plugin speaks for OpenCode, which has no hooks of its own.
import type { AgentEvent } from '../../model/event.ts'
import { given } from '../../std/given.ts'
import type { JsonObject } from '../../std/json.ts'
import { type HookBase, type HookTable, plainId, text } from '../shared/hook-table.ts'
import { noteTaskUsage, typedText } from './transcript.ts'

const modelOf = (payload: JsonObject) => given({ model: text(payload.model) })

export const opencodeHooks: HookTable = {
  'session-start': (_payload, base) => ({ type: 'session-start', ...base }),
  'session-end': (_payload, base) => ({ type: 'session-end', ...base }),
  'turn-start': (payload, base) => {
    const since = text(payload.since)
    return {
      type: 'turn-start',
      ...base,
      ...modelOf(payload),
      ...given({
        prompt: typedText(text(payload.prompt) ?? ''),
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
  const task = text(payload.tool_use_id)
  if (task === undefined) return null
  const subagent = text(payload.subagent_id)
  return {
    type,
    ...base,
    toolUse: plainId(task),
    ...given({
      subagent: subagent && plainId(subagent),
      subagentType: text(payload.subagent_type),
      taskDescription: text(payload.description),
      metadata: noteTaskUsage(task, payload.usage),
    }),
  }
}
