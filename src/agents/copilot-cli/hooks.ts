// Turns the hooks of Copilot CLI into events. Subagents report the same hooks as the session they work for;
// of these, only their start and end count.

import type { Environment } from '../../std/environment.ts'
import { given } from '../../std/given.ts'
import { asNumber, asObject, asTime, type JsonObject, parseJson } from '../../std/json.ts'
import { readLastLines } from '../shared/file-tail.ts'
import { asText, type BaseFields, type HookBase, type HookTable } from '../shared/hook-table.ts'
import { awaitTail, copilotSessionOf, readTail, transcriptOf } from './session-files.ts'
import { blockReason, cleanCopilotPrompt } from './transcript.ts'

const nothing = () => null

export const copilotHooks: HookTable = {
  'session-start': (payload, base) => (isFromSubagent(payload) ? null : { type: 'session-start', ...base }),
  // This hook may come before session-start.
  'user-prompt-submitted': (payload, base) =>
    isFromSubagent(payload)
      ? null
      : { type: 'turn-start', ...base, ...given({ prompt: typedPrompt(payload, base) }) },
  'agent-stop': (payload, base) => (isFromSubagent(payload) ? null : { type: 'turn-end', ...base }),
  'session-end': (payload, base) => (isFromSubagent(payload) ? null : { type: 'session-end', ...base }),
  'pre-compact': (payload, base) => (isFromSubagent(payload) ? null : { type: 'compaction', ...base }),
  'subagent-start': (payload, base) => taskEvent('subagent-start', payload, base),
  'subagent-stop': (payload, base) => taskEvent('subagent-end', payload, base),
  'pre-tool-use': nothing,
  'post-tool-use': nothing,
  'post-tool-use-failure': nothing,
  'permission-request': nothing,
  'error-occurred': nothing,
  notification: nothing,
}

// Most descriptions were written a moment ago; a subagent that ran for hours is shown without one.
const searchedBytes = 1024 * 1024

/**
 * Undefined when the agent continues by itself: a hook kept it from stopping, or a background task is done.
 */
function typedPrompt(payload: JsonObject, { transcript }: HookBase): string | undefined {
  const prompt = asText(payload.prompt)
  if (prompt === undefined || (transcript !== undefined && findBlockReason(transcript) === prompt))
    return undefined
  return cleanCopilotPrompt(prompt)
}

// No payload names the tool call, so the id of the subagent stands for it.
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

/**
 * A field in either spelling: hooks with camelCase names get camelCase fields, others and VS Code snake_case
 * ones.
 */
function field(payload: JsonObject, name: string): string | undefined {
  return (
    asText(payload[name]) ?? asText(payload[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)])
  )
}

/** Most payloads do not name the transcript; its path follows from the session. */
export function copilotFields(payload: JsonObject, env: Environment): ReturnType<BaseFields> {
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

/** A subagent runs the hooks of the session under its own id. */
function isFromSubagent(payload: JsonObject): boolean {
  return field(payload, 'parentAgentId') !== undefined || isToolCall(field(payload, 'sessionId'))
}

/**
 * The session that a subagent works for: the transcript is that of the session, however deeply subagents
 * nest.
 */
function rootSession(payload: JsonObject): string | undefined {
  const named = field(payload, 'transcriptPath')
  const session =
    (named === undefined ? undefined : copilotSessionOf(named)) ??
    field(payload, 'parentAgentId') ??
    field(payload, 'sessionId')
  return isToolCall(session) ? undefined : session
}

// Older versions named a subagent's session after the tool call that started it.
function isToolCall(session: string | undefined): boolean {
  return session?.startsWith('toolu_') ?? false
}

/** Timestamps are milliseconds in camelCase payloads and text in the others. */
function timeOf(timestamp: unknown): string | undefined {
  const milliseconds = asNumber(timestamp)
  if (milliseconds === undefined) return asTime(timestamp)
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/**
 * Waits until the transcript has the outcome of the last stop: a hook may keep the agent from stopping, and
 * the agent then continues with the reason as if the user had typed it. Undefined when there is nothing to
 * wait for.
 */
export function awaitOutcome(transcript: string): Promise<void> | undefined {
  const isKnown = (lines: string[]) => lastTurnEvent(lines)?.type !== 'hook.start'
  return isKnown(readTail(transcript)) ? undefined : awaitTail(transcript, isKnown)
}

/** Why a hook kept the agent from stopping, if that happened last. */
function findBlockReason(transcript: string): string | undefined {
  return blockReason(lastTurnEvent(readTail(transcript)))
}

/** The last event that shows whether the agent was stopping, stopped, or continued. */
function lastTurnEvent(lines: string[]): JsonObject | undefined {
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
