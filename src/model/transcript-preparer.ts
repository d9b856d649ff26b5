// For agents that write their transcript late.
import type { AgentEvent, EventMetadata } from './event.ts'

export interface TranscriptPreparer {
  /** Returns when it is complete, or when waiting longer is useless; gives what is to be remembered the next time. */
  prepare(transcript: string, event: AgentEvent, remembered: () => EventMetadata | undefined): Promise<EventMetadata | undefined>
}
