// Defines the seven events that agents turn their hook payloads into.

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

/** Opaque data of an agent, stored with the session and handed back to the agent with every later event. */
export type EventMetadata = Record<string, string>

export interface AgentEvent {
  type: EventType
  session: string
  /** The session this one continues under a new id. */
  previousSession?: string
  /** Absolute path of the live transcript, as the agent names it. */
  transcript?: string
  /** What the user typed; absent when the agent itself started the turn. */
  prompt?: string
  /** For a session start: the agent may not report prompts, so a turn begins with the session. */
  opensTurn?: boolean
  model?: string
  timestamp?: string
  /**
   * For a turn that began before this event: where it begins in the transcript, HEAD at that time, if known, and
   * whether the agent has changed files since.
   */
  began?: { bytes: number; items: number; head?: string; isUnderway?: boolean }
  /**
   * For a turn that ended before this event: commits, and changes that the transcript does not name, may be those of
   * the next turn.
   */
  isLate?: boolean
  toolUse?: string
  subagent?: string
  subagentTranscript?: string
  subagentType?: string
  taskDescription?: string
  toolName?: string
  toolInput?: unknown
  /** False when the subagent is still running. */
  final?: boolean
  /** Text to show instead of the usual banner. */
  responseMessage?: string
  /** The agent's last message; a transcript that lags behind is awaited until it contains this text. */
  lastMessage?: string
  metadata?: EventMetadata
  /** The same for the first event of a session; later events do not change it. */
  firstMetadata?: EventMetadata
}
