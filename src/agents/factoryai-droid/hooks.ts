// Turns the hooks of Droid into events. `droid exec` does not report its prompt, so a turn begins with the
// session.

import type { AgentEvent } from '../../model/event.ts'
import { given } from '../../std/given.ts'
import { asObject, type JsonObject } from '../../std/json.ts'
import { asText, type HookBase, type HookTable, plainId, taskId } from '../shared/hook-table.ts'
import { cleanPrompt } from '../shared/message-text.ts'

const nothing = () => null

export const droidHooks: HookTable = {
  // After a compaction the same conversation continues, perhaps in the middle of a turn.
  'session-start': (payload, base) =>
    payload.source === 'compact'
      ? null
      : {
          type: 'session-start',
          ...base,
          opensTurn: true,
          ...given({ previousSession: asText(payload.previous_session_id) }),
        },

  // Installed for the start of a session as well, for the reference program, which begins a turn only at a
  // prompt.
  'user-prompt-submit': (payload, base) =>
    payload.hook_event_name === 'SessionStart'
      ? null
      : { type: 'turn-start', ...base, ...given({ prompt: cleanPrompt(asText(payload.prompt) ?? '') }) },

  stop: (_payload, base) => ({ type: 'turn-end', ...base }),

  'session-end': (_payload, base) => ({ type: 'session-end', ...base }),

  'pre-compact': (_payload, base) => ({ type: 'compaction', ...base }),

  'pre-tool-use': (payload, base) => taskEvent('subagent-start', payload, base),

  // Droid does not run it for a tool that failed: the work of such a subagent is saved with the turn.
  'post-tool-use': (payload, base) => taskEvent('subagent-end', payload, base),

  'subagent-stop': nothing,
  notification: nothing,
}

function taskEvent(
  type: 'subagent-start' | 'subagent-end',
  payload: JsonObject,
  base: HookBase,
): AgentEvent | null {
  const toolName = asText(payload.tool_name)
  if (toolName !== 'Task') return null
  const input = asObject(payload.tool_input)
  const id = asText(payload.tool_use_id)
  return {
    type,
    ...base,
    toolUse:
      id === undefined
        ? taskId('factorytask', base.session, toolName, JSON.stringify(payload.tool_input ?? null))
        : plainId(id),
    toolName,
    ...given({
      toolInput: payload.tool_input,
      subagentType: asText(input?.subagent_type),
      taskDescription: asText(input?.description),
    }),
  }
}
