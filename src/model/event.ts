// The seven normalised events. An agent's only job in a hook is to turn its own payload into one of these, or into nothing.

export const eventTypes = [
  'session-start',
  'turn-start',
  'turn-end',
  'compaction',
  'session-end',
  'subagent-start',
  'subagent-end',
] as const

export type EventType = (typeof eventTypes)[number]

/** Opaque to us: what an agent says in one event is stored with the session and handed back to it with every later one. */
export type EventMetadata = Record<string, string>

export interface AgentEvent {
  type: EventType
  session: string
  /** The session this one continues under a new id. */
  previousSession?: string
  /** Absolute path of the live transcript, as the agent names it. */
  transcript?: string
  /** What the user typed; absent when the turn was started by the agent itself. */
  prompt?: string
  /** Of a session's start: the agent may tell of no prompt, so the turn begins with the session. */
  opensTurn?: boolean
  model?: string
  timestamp?: string
  /** Of a turn that began before this event came: where it begins in the transcript, and what HEAD was then, if that is known. */
  began?: { bytes: number; items: number; head?: string }
  toolUse?: string
  subagent?: string
  subagentTranscript?: string
  subagentType?: string
  taskDescription?: string
  toolName?: string
  toolInput?: unknown
  /** False: the subagent goes on, and this is a step on its way. */
  final?: boolean
  /** Text the agent wants shown instead of our own banner. */
  responseMessage?: string
  /** What the agent said last; a transcript that lags behind is awaited until it holds this text. */
  lastMessage?: string
  metadata?: EventMetadata
  /** The same, for a session that is seen for the first time; later ones keep what they have. */
  firstMetadata?: EventMetadata
}
