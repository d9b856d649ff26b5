// Messages as they are kept, stored and sent: with the fields by which the reference program tells them apart, and with the names that
// extensions look for beside them.
import type { ToolOutcome } from '../../offer.ts'

export type TextPart = { type: 'text'; text: string }
export type ImagePart = { type: 'image'; data: string; mimeType: string }
export type ThinkingPart = { type: 'thinking'; thinking: string }
export type CallPart = {
  type: 'tool_use'
  id: string
  name: string
  arguments: Record<string, unknown>
  providerMeta?: Record<string, unknown>
}

export type Usage = {
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  /** In US dollars. */
  cost: number
}

export type StopReason = 'stop' | 'length' | 'toolUse' | 'error' | 'aborted'

export type UserMessage = { role: 'user'; content: string; blocks?: (TextPart | ImagePart)[]; timestamp: string }

export type AssistantMessage = {
  role: 'assistant'
  content: (TextPart | ThinkingPart | CallPart)[]
  /** Never empty: programs tell by them whose message it is. */
  model: string
  provider: string
  usage: Usage
  stopReason: string
  error?: string
  timestamp: string
}

export type ToolResultMessage = {
  role: 'tool_result'
  toolCallId: string
  tool_call_id: string
  toolName: string
  tool_name: string
  content: (TextPart | ImagePart)[]
  isError: boolean
  is_error: boolean
  timestamp: string
}

export type Message = UserMessage | AssistantMessage | ToolResultMessage

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cost: 0 }

export function userMessage(text: string, images: ImagePart[], at: Date): UserMessage {
  const blocks = images.length === 0 ? {} : { blocks: [{ type: 'text' as const, text }, ...images] }
  return { role: 'user', content: text, ...blocks, timestamp: at.toISOString() }
}

export function assistantText(text: string, from: { model: string; provider: string }, at: Date): AssistantMessage {
  return {
    role: 'assistant',
    content: [{ type: 'text', text }],
    model: from.model,
    provider: from.provider,
    usage: noUsage,
    stopReason: 'stop',
    timestamp: at.toISOString(),
  }
}

export function toolResult(
  call: { id: string; name: string },
  { content, isError }: Pick<ToolOutcome, 'content' | 'isError'>,
  at: string,
): ToolResultMessage {
  return {
    role: 'tool_result',
    toolCallId: call.id,
    tool_call_id: call.id,
    toolName: call.name,
    tool_name: call.name,
    content: content.map((block) =>
      block.type === 'image'
        ? { type: 'image', data: block.data ?? '', mimeType: block.mime ?? 'image/png' }
        : { type: 'text', text: block.text ?? '' },
    ),
    isError,
    is_error: isError,
    timestamp: at,
  }
}

export function isCall(part: AssistantMessage['content'][number]): part is CallPart {
  return part.type === 'tool_use'
}

/** Everything it says in words. */
export function textOf(message: Message): string {
  if (message.role === 'user') return message.blocks ? textsOf(message.blocks) : message.content
  return textsOf(message.content)
}

function textsOf(parts: { type: string; text?: string }[]): string {
  return parts.flatMap((part) => (part.type === 'text' && part.text ? [part.text] : [])).join('\n')
}
