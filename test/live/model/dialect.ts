// Defines how an agent names its tools and their arguments.
import type { Call } from './conversation.ts'

export interface Dialect {
  read(path: string): Call
  write(path: string, content: string): Call
  edit(path: string, before: string, after: string): Call
  shell(command: string): Call
  /** Missing: the agent has no subagents. */
  delegate?(prompt: string): Call
  /** How the agent waits for a subagent that works on its own; `launched` is what the launch has said. */
  wait?(launched: string): Call
  /** How a subagent hands in its work, where just ending does not do. */
  report?(answer: string): Call
}
