// Translates events between the wire, with numbers and snake-case names, and the model.

import type { AgentEvent, EventType } from '../../model/event.ts'
import type { MessageInput, Messages } from './messages.ts'

export const eventNumbers = {
  'session-start': 1,
  'turn-start': 2,
  'turn-end': 3,
  compaction: 4,
  'session-end': 5,
  'subagent-start': 6,
  'subagent-end': 7,
} as const satisfies Record<EventType, number>

/** The names the protocol document gives them. */
export const eventNames = {
  'session-start': 'SessionStart',
  'turn-start': 'TurnStart',
  'turn-end': 'TurnEnd',
  compaction: 'Compaction',
  'session-end': 'SessionEnd',
  'subagent-start': 'SubagentStart',
  'subagent-end': 'SubagentEnd',
} as const satisfies Record<EventType, string>

export type WireEvent = NonNullable<Messages['event']>
type WireEventInput = NonNullable<MessageInput['event']>

/** Undefined for an unknown number, as a newer program may send. */
export function findEventType(number: number): EventType | undefined {
  return (Object.keys(eventNumbers) as EventType[]).find((type) => eventNumbers[type] === number)
}

/** The fields of an event that the protocol can carry. */
export type PluginEvent = Omit<
  AgentEvent,
  'opensTurn' | 'toolName' | 'lastMessage' | 'firstMetadata' | 'began' | 'isLate'
>

const wireNames = {
  session: 'session_id',
  previousSession: 'previous_session_id',
  transcript: 'session_ref',
  prompt: 'prompt',
  model: 'model',
  timestamp: 'timestamp',
  toolUse: 'tool_use_id',
  subagent: 'subagent_id',
  subagentTranscript: 'subagent_transcript_path',
  subagentType: 'subagent_type',
  taskDescription: 'task_description',
  toolInput: 'tool_input',
  final: 'final',
  responseMessage: 'response_message',
  metadata: 'metadata',
} as const satisfies Record<Exclude<keyof PluginEvent, 'type'>, keyof WireEvent>

export function formatEvent(event: PluginEvent): WireEventInput {
  const fields = Object.entries(wireNames).map(
    ([name, wire]) => [wire, event[name as keyof PluginEvent]] as const,
  )
  const known = Object.fromEntries(fields.filter(([, value]) => value !== undefined))
  return { ...known, type: eventNumbers[event.type], session_id: event.session }
}

/** Undefined for an event of an unknown type. Empty texts count as absent: programs in Go write them so. */
export function parseEvent(wire: WireEvent): PluginEvent | undefined {
  const type = findEventType(wire.type)
  if (type === undefined) return undefined
  const fields = Object.entries(wireNames).map(([name, key]) => [name, wire[key]] as const)
  const known = Object.fromEntries(
    fields.filter(([, value]) => value !== undefined && value !== null && value !== ''),
  )
  return { ...known, type, session: wire.session_id }
}
