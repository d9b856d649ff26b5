// Turns the hooks of Codex into events. A subagent is a thread with its own rollout that reports under the id
// of the session it works for: its turns are not the user's, and its rollout is not the session's.

import type { AgentEvent } from '../../model/event.ts'
import { given } from '../../std/given.ts'
import type { JsonObject } from '../../std/json.ts'
import { asText, type HookBase, type HookTable } from '../shared/hook-table.ts'
import { cleanCodexPrompt, readOrigin, readTask } from './rollout.ts'

const nothing = () => null

export const codexHooks: HookTable = {
  // After a compaction the same turn continues.
  'session-start': ofMainThread((payload, base) =>
    payload.source === 'compact' ? null : { type: 'session-start', ...base },
  ),
  'user-prompt-submit': ofMainThread((payload, base) => ({
    type: 'turn-start',
    ...base,
    ...given({ prompt: cleanCodexPrompt(asText(payload.prompt) ?? '') }),
  })),
  stop: ofMainThread((_payload, base) => ({ type: 'turn-end', ...base })),
  // Codex runs this hook instead of `stop`.
  interrupt: ofMainThread((_payload, base) => ({ type: 'turn-end', ...base })),
  'pre-compact': ofMainThread((_payload, base) => ({ type: 'compaction', ...base })),
  'session-end': ofMainThread((_payload, base) => ({ type: 'session-end', ...base })),

  'subagent-start': (payload, base) => ofSubagent('subagent-start', payload, base),
  'subagent-stop': (payload, base) => ofSubagent('subagent-end', payload, base),

  'post-compact': nothing,
  // What tools do is seen in the work tree; a patch applied through the shell has no second hook at all.
  'pre-tool-use': nothing,
  'post-tool-use': nothing,
  'permission-request': nothing,
}

type MainBase = HookBase & Pick<AgentEvent, 'model' | 'previousSession'>

function ofMainThread(
  toEvent: (payload: JsonObject, base: MainBase) => AgentEvent | null,
): HookTable[string] {
  return (payload, base) => {
    if (asText(payload.agent_id) !== undefined) return null
    const origin = base.transcript === undefined ? undefined : readOrigin(base.transcript)
    if (origin?.isSubagent) return null
    return toEvent(payload, {
      ...base,
      ...given({ model: asText(payload.model), previousSession: origin?.forkedFrom }),
    })
  }
}

// The payload does not name the tool call that started the subagent, so the id of its thread stands for it.
// The rollout it names may be that of a subagent that started another one, so the session keeps the one it
// has.
function ofSubagent(
  type: 'subagent-start' | 'subagent-end',
  payload: JsonObject,
  base: HookBase,
): AgentEvent | null {
  const subagent = asText(payload.agent_id)
  if (subagent === undefined) return null
  const { transcript: _transcript, ...rest } = base
  const rollout = type === 'subagent-end' ? asText(payload.agent_transcript_path) : undefined
  return {
    type,
    ...rest,
    toolUse: subagent,
    subagent,
    ...given({
      subagentType: asText(payload.agent_type),
      subagentTranscript: rollout,
      taskDescription: rollout === undefined ? undefined : readTask(rollout),
    }),
  }
}
