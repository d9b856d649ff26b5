// For agents that write their transcript late.
import type { AgentEvent, EventMetadata } from './event.ts'

export interface TranscriptPreparer {
  /** Returns when it is complete, or when waiting longer is useless; gives what is to be known the next time. */
  prepare(transcript: string, event: AgentEvent): Promise<EventMetadata | undefined>
}
