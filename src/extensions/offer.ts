// What can be used in a program with extensions, whoever offers it.
import type { ContentBlock } from '../protocol/extension-content.ts'
import type { Registrations } from './live-extension.ts'

export interface ToolOutcome {
  content: ContentBlock[]
  isError: boolean
  /** For machines: what a tool did beside what it said. */
  details?: unknown
  errorCode?: string
  errorHint?: string
}

export interface ToolCall {
  id: string
  signal: AbortSignal
}

/** A tool of the program itself. */
export interface LocalTool {
  name: string
  description: string
  parameters: unknown
  promptHint?: string
  backgroundSafe?: boolean
  deferred?: boolean
  /** `block`: once begun it is not interrupted. */
  interruptBehavior?: 'cancel' | 'block'
  execute(args: Record<string, unknown>, call: ToolCall): Promise<ToolOutcome>
}

export interface LocalCommand {
  name: string
  description: string
  immediate?: boolean
  execute(args: string, signal: AbortSignal): Promise<void>
}

export interface LocalOffer {
  tools: LocalTool[]
  commands: LocalCommand[]
}

/** Everything one owner offers. The program itself has rank 0; extensions come after it, in the order of their names. */
export type Offer = { owner: string; rank: number } & ({ local: LocalOffer } | { registrations: Registrations })

export const ownName = 'builtin'
