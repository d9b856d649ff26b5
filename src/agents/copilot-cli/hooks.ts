// What Copilot CLI's hooks mean. Subagents report the same events as the session they work for; only their beginning and end count.
import { asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { readLastLines } from '../file-tail.ts'
import { given, type HookBase, type HookTable, text } from '../hook-table.ts'
import { findBlockReason } from './blocked-stop.ts'
import { field, isSubagents, rootSession } from './payload.ts'
import { cleanTyped } from './typed-text.ts'

const nothing = () => null

export const copilotHooks: HookTable = {
  'session-start': (payload, base) => (isSubagents(payload) ? null : { type: 'session-start', ...base }),
  // It may come before that of the session's start.
  'user-prompt-submitted': (payload, base) =>
    isSubagents(payload) ? null : { type: 'turn-start', ...base, ...given({ prompt: typedPrompt(payload, base) }) },
  'agent-stop': (payload, base) => (isSubagents(payload) ? null : { type: 'turn-end', ...base }),
  'session-end': (payload, base) => (isSubagents(payload) ? null : { type: 'session-end', ...base }),
  'pre-compact': (payload, base) => (isSubagents(payload) ? null : { type: 'compaction', ...base }),
  'subagent-start': (payload, base) => taskEvent('subagent-start', payload, base),
  'subagent-stop': (payload, base) => taskEvent('subagent-end', payload, base),
  'pre-tool-use': nothing,
  'post-tool-use': nothing,
  'post-tool-use-failure': nothing,
  'permission-request': nothing,
  'error-occurred': nothing,
  notification: nothing,
}

// What is looked for was written a moment ago; a subagent that ran for hours is shown without its description.
const searchedBytes = 1024 * 1024

/** Undefined when the agent goes on by itself: a hook did not let it stop, or something it waited for is done. */
function typedPrompt(payload: JsonObject, { transcript }: HookBase): string | undefined {
  const prompt = text(payload.prompt)
  if (prompt === undefined || (transcript !== undefined && findBlockReason(transcript) === prompt)) return undefined
  return cleanTyped(prompt)
}

// No payload names the tool call, so the task goes by the subagent's own id.
function taskEvent(type: 'subagent-start' | 'subagent-end', payload: JsonObject, base: HookBase) {
  const session = rootSession(payload)
  const subagent = field(payload, 'agentId')
  if (session === undefined || subagent === undefined) return null
  return {
    type,
    ...base,
    session,
    toolUse: subagent,
    subagent,
    ...given({
      subagentType: field(payload, 'agentType') ?? field(payload, 'agentName'),
      taskDescription: findDescription(base.transcript, subagent),
    }),
  }
}

function findDescription(transcript: string | undefined, subagent: string): string | undefined {
  const lines = transcript === undefined ? [] : readLastLines(transcript, searchedBytes)
  const line = lines.findLast((candidate) => candidate.includes('"subagent.started"') && candidate.includes(subagent))
  const entry = line === undefined ? undefined : asObject(parseJson(line))
  return entry?.agentId === subagent ? text(asObject(entry.data)?.agentDescription) : undefined
}
