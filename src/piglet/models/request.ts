// Defines a request to a model and its answer, for all providers.

import type { AssistantMessage, ChatMessage, StopReason } from '../conversation/message.ts'
import type { ChatModel } from './model.ts'

export type ToolSchema = {
  name: string
  description: string
  /** Missing for a deferred tool whose schema is not shown yet. */
  parameters?: unknown
}

export interface ModelRequest {
  model: ChatModel
  system: string
  messages: ChatMessage[]
  tools: ToolSchema[]
  maxTokens: number
}

export interface AnswerPiece {
  kind: 'text' | 'thinking' | 'toolcall'
  index: number
  delta: string
}

export interface AnswerOptions {
  signal: AbortSignal
  onPiece(piece: AnswerPiece): void
}

export type AnswerRequest = (request: ModelRequest, options: AnswerOptions) => Promise<AssistantMessage>

/** The provider answered with an error, or not in full. */
export class ModelFailure extends Error {
  constructor(
    message: string,
    readonly status: number | undefined,
    readonly retryAfterMs: number | undefined,
  ) {
    super(message)
  }

  /** Repeating the request would fail in the same way. */
  get isFinal(): boolean {
    return this.status !== undefined && [400, 401, 403, 404, 413, 422].includes(this.status)
  }
}

export function costOf({ cost }: ChatModel, usage: Omit<AssistantMessage['usage'], 'cost'>): number {
  const fresh = Math.max(usage.inputTokens - usage.cacheReadTokens, 0)
  const sum =
    fresh * cost.input +
    usage.cacheReadTokens * (cost.cacheRead || cost.input) +
    usage.cacheWriteTokens * cost.cacheWrite
  return (sum + usage.outputTokens * cost.output) / 1_000_000
}

export const stopReasons: Record<string, StopReason> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'toolUse',
  function_call: 'toolUse',
}
