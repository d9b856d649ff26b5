// What Copilot CLI's hooks mean. Subagents report the same events as the session they work for; only their beginning and end count.
import type { Env } from '../../model/agent.ts'
import { given } from '../../std/given.ts'
import { asNumber, asObject, asTime, type JsonObject, parseJson } from '../../std/json.ts'
import { readLastLines } from '../shared/file-tail.ts'
import { asText, type BaseFields, type HookBase, type HookTable } from '../shared/hook-table.ts'
import { awaitTail, blockReason, cleanTyped, readTail, sessionOf, transcriptOf } from './session-files.ts'

const nothing = () => null

export const copilotHooks: HookTable = {
  'session-start': (payload, base) => (isSubagents(payload) ? null : { type: 'session-start', ...base }),
  // It may come before that of the session's start.
  'user-prompt-submitted': (payload, base) =>
    isSubagents(payload)
      ? null
      : { type: 'turn-start', ...base, ...given({ prompt: typedPrompt(payload, base) }) },
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
  const prompt = asText(payload.prompt)
  if (prompt === undefined || (transcript !== undefined && findBlockReason(transcript) === prompt))
    return undefined
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
  const line = lines.findLast(
    (candidate) => candidate.includes('"subagent.started"') && candidate.includes(subagent),
  )
  const entry = line === undefined ? undefined : asObject(parseJson(line))
  return entry?.agentId === subagent ? asText(asObject(entry.data)?.agentDescription) : undefined
}

// Payloads come in two dialects: hooks with names in camelCase get camelCase fields, those in PascalCase (and VS Code) snake_case ones.

export function field(payload: JsonObject, name: string): string | undefined {
  return (
    asText(payload[name]) ?? asText(payload[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)])
  )
}

/** Most payloads do not name the transcript; where it lies follows from the session. */
export function baseFields(payload: JsonObject, env: Env): ReturnType<BaseFields> {
  const named = field(payload, 'transcriptPath')
  const session = field(payload, 'sessionId')
  // VS Code runs the same hooks, and keeps its sessions elsewhere.
  const isEditor = payload.hookEventName !== undefined
  return {
    session,
    transcript: named ?? (session === undefined || isEditor ? undefined : transcriptOf(session, env)),
    timestamp: timeOf(payload.timestamp),
  }
}

/** A subagent runs the hooks of a session, under an id of its own. */
export function isSubagents(payload: JsonObject): boolean {
  return field(payload, 'parentAgentId') !== undefined || isToolCall(field(payload, 'sessionId'))
}

/** The session that a subagent works for: the transcript is that of the session, however deep the subagents nest. */
export function rootSession(payload: JsonObject): string | undefined {
  const named = field(payload, 'transcriptPath')
  const session =
    (named === undefined ? undefined : sessionOf(named)) ??
    field(payload, 'parentAgentId') ??
    field(payload, 'sessionId')
  return isToolCall(session) ? undefined : session
}

// Older versions named a subagent's session after the tool call that started it.
function isToolCall(session: string | undefined): boolean {
  return session?.startsWith('toolu_') ?? false
}

/** Milliseconds in one dialect, text in the other. */
function timeOf(timestamp: unknown): string | undefined {
  const milliseconds = asNumber(timestamp)
  if (milliseconds === undefined) return asTime(timestamp)
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

// A hook may keep the agent from stopping; it then goes on with the hook's reason as if the user had typed it. Only the transcript tells.

/** Undefined when nothing is missing: only right after a stop may its outcome not be written yet. */
export function awaitOutcome(transcript: string): Promise<void> | undefined {
  const isKnown = (lines: string[]) => lastTurn(lines)?.type !== 'hook.start'
  return isKnown(readTail(transcript)) ? undefined : awaitTail(transcript, isKnown)
}

/** Why the agent was not let stop, if that is what happened last. */
export function findBlockReason(transcript: string): string | undefined {
  return blockReason(lastTurn(readTail(transcript)))
}

/** The last event that tells whether the agent was stopping, stopped, or went on. */
function lastTurn(lines: string[]): JsonObject | undefined {
  for (const line of lines.toReversed()) {
    if (!/"(?:agentStop|user\.message|session\.resume)"/.test(line)) continue
    const event = asObject(parseJson(line))
    if (event === undefined || event.agentId !== undefined) continue
    const isStop =
      (event.type === 'hook.start' || event.type === 'hook.end') &&
      asObject(event.data)?.hookType === 'agentStop'
    if (isStop || event.type === 'user.message' || event.type === 'session.resume') return event
  }
  return undefined
}
