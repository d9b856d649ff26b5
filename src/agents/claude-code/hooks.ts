// Turns the hooks of Claude Code into events. By default a subagent runs in the background and ends long
// after the tool call that started it.

import { exists } from '../../std/file.ts'
import { given } from '../../std/given.ts'
import { asArray, asObject, type JsonObject } from '../../std/json.ts'
import { asText, type HookBase, type HookTable } from '../shared/hook-table.ts'
import { cleanPrompt } from '../shared/message-text.ts'
import { claudeSubagentTranscript, isSafeId } from './session-files.ts'
import { findLaunch, isLaunch } from './subagents.ts'

export const claudeHooks: HookTable = {
  // After a compaction the same conversation continues, perhaps in the middle of a turn.
  'session-start': (payload, base) =>
    payload.source === 'compact'
      ? null
      : { type: 'session-start', ...startOf(payload, base), ...given({ model: asText(payload.model) }) },

  // The end of a background subagent starts a turn as well, with a notification in place of a prompt.
  'user-prompt-submit': (payload, base) => {
    const prompt = cleanPrompt(asText(payload.prompt) ?? '')
    const id = prompt === undefined ? undefined : asText(payload.prompt_id)
    return {
      type: 'turn-start',
      ...base,
      ...given({ prompt, firstMetadata: id === undefined ? undefined : { firstPrompt: id } }),
    }
  },

  stop: (payload, base) => ({
    type: 'turn-end',
    ...base,
    ...given({ lastMessage: asText(payload.last_assistant_message) }),
  }),

  'session-end': (_payload, base) => ({ type: 'session-end', ...base }),

  'pre-compact': (_payload, base) => ({ type: 'compaction', ...base }),

  'pre-task': (payload, base) => ({ type: 'subagent-start', ...base, ...taskOf(payload) }),

  'post-task': (payload, base) => {
    const response = asObject(payload.tool_response)
    if (isLaunch(response)) return null
    return {
      type: 'subagent-end',
      ...base,
      ...taskOf(payload),
      ...subagentOf(base, asText(response?.agentId)),
    }
  },

  'subagent-stop': (payload, base) => {
    const subagent = asText(payload.agent_id)
    const inBackground = asArray(payload.background_tasks).some((task) => asObject(task)?.id === subagent)
    // A foreground subagent ends with its tool call. Compaction runs as a subagent without a type.
    if (!subagent || !inBackground || !asText(payload.agent_type)) return null
    const subagentFile = asText(payload.agent_transcript_path)
    const launch = findLaunch(base.transcript, subagentFile, subagent)
    return {
      type: 'subagent-end',
      ...base,
      subagent,
      ...given({
        subagentTranscript: subagentFile,
        toolUse: launch?.toolUse,
        subagentType: asText(payload.agent_type),
        taskDescription: launch?.description ?? backgroundDescription(payload, subagent),
        lastMessage: asText(payload.last_assistant_message),
      }),
    }
  },

  'post-todo': (payload, base) => ({
    type: 'subagent-end',
    ...base,
    final: false,
    ...given({
      toolUse: asText(payload.tool_use_id),
      toolName: asText(payload.tool_name),
      toolInput: payload.tool_input,
      subagent: asText(payload.agent_id),
    }),
  }),
}

// When a session is resumed from another directory, the first hook names a file below that directory that
// will never exist; later hooks name the right one.
function startOf(payload: JsonObject, base: HookBase): HookBase {
  if (payload.source !== 'resume' || base.transcript === undefined || exists(base.transcript)) return base
  const { transcript: _wrong, ...rest } = base
  return rest
}

function taskOf(payload: JsonObject) {
  const input = asObject(payload.tool_input)
  return given({
    toolUse: asText(payload.tool_use_id),
    toolName: asText(payload.tool_name),
    toolInput: payload.tool_input,
    subagentType: asText(input?.subagent_type),
    taskDescription: asText(input?.description),
  })
}

function subagentOf(base: HookBase, subagent: string | undefined) {
  if (subagent === undefined) return {}
  const file =
    base.transcript !== undefined && isSafeId(subagent)
      ? claudeSubagentTranscript(base.transcript, subagent)
      : undefined
  return { subagent, ...given({ subagentTranscript: file }) }
}

function backgroundDescription(payload: JsonObject, subagent: string): string | undefined {
  const task = asArray(payload.background_tasks).find((item) => asObject(item)?.id === subagent)
  return asText(asObject(task)?.description)
}
