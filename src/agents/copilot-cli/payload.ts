// Payloads come in two dialects: hooks with names in camelCase get camelCase fields, those in PascalCase (and VS Code) snake_case ones.
import type { Env } from '../../model/agent.ts'
import { asNumber, asTime, type JsonObject } from '../../std/json.ts'
import { type BaseFields, text } from '../hook-table.ts'
import { sessionOf, transcriptOf } from './session-files.ts'

export function field(payload: JsonObject, name: string): string | undefined {
  return text(payload[name]) ?? text(payload[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)])
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
  const session = (named === undefined ? undefined : sessionOf(named)) ?? field(payload, 'parentAgentId') ?? field(payload, 'sessionId')
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
