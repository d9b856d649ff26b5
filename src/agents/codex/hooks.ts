// What Codex's hooks mean. Subagents are threads of their own that report under the id of the session they work for, with a rollout of
// their own: their turns are not the user's, and their rollout must never be taken for the session's.
import type { AgentEvent } from '../../model/event.ts'
import { given } from '../../std/given.ts'
import type { JsonObject } from '../../std/json.ts'
import { asText, type HookBase, type HookTable } from '../shared/hook-table.ts'
import { readOrigin, readTask, typedText } from './rollout.ts'

const nothing = () => null

export const codexHooks: HookTable = {
  // After a compaction the same turn goes on.
  'session-start': ofMainThread((payload, base) =>
    payload.source === 'compact' ? null : { type: 'session-start', ...base },
  ),
  'user-prompt-submit': ofMainThread((payload, base) => ({
    type: 'turn-start',
    ...base,
    ...given({ prompt: typedText(asText(payload.prompt) ?? '') }),
  })),
  stop: ofMainThread((_payload, base) => ({ type: 'turn-end', ...base })),
  // Comes in place of Stop.
  interrupt: ofMainThread((_payload, base) => ({ type: 'turn-end', ...base })),
  'pre-compact': ofMainThread((_payload, base) => ({ type: 'compaction', ...base })),
  'session-end': ofMainThread((_payload, base) => ({ type: 'session-end', ...base })),

  'subagent-start': (payload, base) => ofSubagent('subagent-start', payload, base),
  'subagent-stop': (payload, base) => ofSubagent('subagent-end', payload, base),

  'post-compact': nothing,
  // Commands and patches are seen in the work tree; a patch through the shell has no second hook at all.
  'pre-tool-use': nothing,
  'post-tool-use': nothing,
  'permission-request': nothing,
}

type MainBase = HookBase & Pick<AgentEvent, 'model' | 'previousSession'>

function ofMainThread(
  meaning: (payload: JsonObject, base: MainBase) => AgentEvent | null,
): HookTable[string] {
  return (payload, base) => {
    if (asText(payload.agent_id) !== undefined) return null
    const origin = base.transcript === undefined ? undefined : readOrigin(base.transcript)
    if (origin?.isSubagent) return null
    return meaning(payload, {
      ...base,
      ...given({ model: asText(payload.model), previousSession: origin?.forkedFrom }),
    })
  }
}

// The call of the tool that started it is not named: the thread's own id stands for it. The rollout that is named may be that of a
// subagent which started another one, so the session keeps the one it has.
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
