// Turns the hooks of Cursor into events. With `-p` Cursor reports only the start and the end of the session,
// so a turn begins with the session.

import type { AgentEvent } from '../../model/event.ts'
import { given } from '../../std/given.ts'
import { asArray, type JsonObject } from '../../std/json.ts'
import { asText, type HookBase, type HookTable, plainId, taskId } from '../shared/hook-table.ts'
import { cleanCursorPrompt } from './transcript.ts'

export const cursorHooks: HookTable = {
  'session-start': (payload, base) => ({
    type: 'session-start',
    ...base,
    opensTurn: true,
    ...modelOf(payload),
  }),
  'before-submit-prompt': (payload, base) => ({
    type: 'turn-start',
    ...base,
    ...modelOf(payload),
    ...given({ prompt: cleanCursorPrompt(asText(payload.prompt) ?? '') }),
  }),
  // Completed, aborted or failed: the turn is over.
  stop: (payload, base) => ({ type: 'turn-end', ...base, ...modelOf(payload) }),
  'session-end': (payload, base) => ({ type: 'session-end', ...base, ...modelOf(payload) }),
  'pre-compact': (_payload, base) => ({ type: 'compaction', ...base }),
  'subagent-start': (payload, base) => taskEvent('subagent-start', payload, base),
  'subagent-stop': (payload, base) => taskEvent('subagent-end', payload, base),
}

/** Hooks installed for Claude Code that Cursor runs as well, and the hooks of Cursor that they stand for. */
export const claudeVerbs: Record<string, string> = {
  'session-start': 'session-start',
  'user-prompt-submit': 'before-submit-prompt',
  stop: 'stop',
  'session-end': 'session-end',
  'pre-compact': 'pre-compact',
}

/** The directory that is open in the editor. */
export function workspaceOf(payload: JsonObject): string | undefined {
  return asArray(payload.workspace_roots)
    .map(asText)
    .find((root) => root !== undefined)
}

function modelOf(payload: JsonObject): { model?: string } {
  return given({ model: asText(payload.model) })
}

function taskEvent(
  type: 'subagent-start' | 'subagent-end',
  payload: JsonObject,
  base: HookBase,
): AgentEvent | null {
  const task = asText(payload.task)
  // Without a task the step would have no name.
  if (task === undefined) return null
  const id = asText(payload.subagent_id) ?? asText(payload.tool_call_id)
  const subagentType = asText(payload.subagent_type)
  const toolUse =
    id === undefined ? taskId('cursortask', base.session, subagentType ?? '', task) : plainId(id)
  return {
    type,
    ...base,
    toolUse,
    subagent: toolUse,
    taskDescription: asText(payload.description) ?? task,
    ...given({ subagentType, subagentTranscript: asText(payload.agent_transcript_path) }),
  }
}
