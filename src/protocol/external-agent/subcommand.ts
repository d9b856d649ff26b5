// Defines a subcommand of the external agent protocol, and the limits of every call.

import type { Capability, MessageName } from './messages.ts'

export const agentProtocolVersion = 1
export const executablePrefix = 'entire-agent-'

/** A call that exceeds one of them has failed and is not repeated. */
export const limits = {
  timeoutMs: 30_000,
  discoveryMs: 10_000,
  hurriedMs: 5_000,
  maxBytes: 10 * 1024 * 1024,
} as const

/** A switch may be left out; everything else is always sent. */
export type ArgumentKind = 'text' | 'path' | 'integer' | 'switch'

/** Raw bytes, nothing, or a message by name. */
export type Content = MessageName | 'bytes' | 'nothing'

export interface Subcommand {
  purpose: string
  args: Readonly<Record<string, ArgumentKind>>
  stdin: Content
  stdout: Content
  /** Absent: every plugin has it. */
  capability?: Capability
  called: string
  /** Empty output means null. */
  blankIsNull?: true
}
