// Messages as they are kept, stored and sent: with the fields by which the reference program tells them apart, and with the names that
// extensions look for beside them.
import * as v from 'valibot'
import type { ToolOutcome } from '../../extensions/registry.ts'
import {
  type AssistantMessage as AnyAssistantMessage,
  assistantMessage,
  type CompactMessage,
  toolResultMessage,
  userMessage as wireUserMessage,
} from '../../protocol/extension/content.ts'
import { asObject, asString, asTime } from '../../std/json.ts'

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

export type TokenUsage = {
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  /** In US dollars. */
  cost: number
}

export type StopReason = 'stop' | 'length' | 'toolUse' | 'error' | 'aborted'

export type UserMessage = {
  role: 'user'
  content: string
  blocks?: (TextPart | ImagePart)[]
  timestamp: string
}

export type AssistantMessage = {
  role: 'assistant'
  content: (TextPart | ThinkingPart | CallPart)[]
  /** Never empty: programs tell by them whose message it is. */
  model: string
  provider: string
  usage: TokenUsage
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

export type ChatMessage = UserMessage | AssistantMessage | ToolResultMessage

export const noUsage: TokenUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cost: 0,
}

export function newUserMessage(text: string, images: ImagePart[], at: Date): UserMessage {
  const blocks = images.length === 0 ? {} : { blocks: [{ type: 'text' as const, text }, ...images] }
  return { role: 'user', content: text, ...blocks, timestamp: at.toISOString() }
}

export function assistantText(
  text: string,
  from: { model: string; provider: string },
  at: Date,
): AssistantMessage {
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
export function messageText(message: ChatMessage): string {
  if (message.role === 'user') return message.blocks ? textsOf(message.blocks) : message.content
  return textsOf(message.content)
}

function textsOf(parts: { type: string; text?: string }[]): string {
  return parts.flatMap((part) => (part.type === 'text' && part.text ? [part.text] : [])).join('\n')
}

// Reads messages that others wrote: extensions, other programs, older versions. What cannot be one is left out.

export type ChatRole = ChatMessage['role']

/** Undefined for what is no message of this kind. */
export function parseChatMessage(kind: string, data: unknown): ChatMessage | undefined {
  return Object.hasOwn(parsers, kind) ? parsers[kind as ChatRole](data) : undefined
}

export function parseCompactMessages(messages: CompactMessage[]): ChatMessage[] {
  return messages.flatMap(({ type, data }) => parseChatMessage(type, data) ?? [])
}

export function toCompactMessages(messages: ChatMessage[]): CompactMessage[] {
  return messages.map((message) => ({ type: message.role, data: message }))
}

const parsers: { [K in ChatRole]: (data: unknown) => Extract<ChatMessage, { role: K }> | undefined } = {
  user(data): UserMessage | undefined {
    const parsed = v.safeParse(wireUserMessage, data)
    if (!parsed.success) return undefined
    const { content, blocks, timestamp } = parsed.output
    return {
      role: 'user',
      content,
      ...(blocks.length === 0 ? {} : { blocks: contentParts(blocks) }),
      timestamp: timeOf(timestamp),
    }
  },
  assistant(data) {
    const parsed = v.safeParse(assistantMessage, data)
    return parsed.success ? fromProvider(parsed.output, { model: 'unknown', provider: 'unknown' }) : undefined
  },
  tool_result(data): ToolResultMessage | undefined {
    const parsed = v.safeParse(toolResultMessage, data)
    if (!parsed.success) return undefined
    const { toolCallId, toolName, content, isError, timestamp } = parsed.output
    return {
      role: 'tool_result',
      toolCallId,
      tool_call_id: toolCallId,
      toolName,
      tool_name: toolName,
      content: contentParts(content),
      isError,
      is_error: isError,
      timestamp: timeOf(timestamp),
    }
  },
}

/** An answer that somebody else made; `otherwise` says who, where it does not. */
export function fromProvider(
  message: AnyAssistantMessage,
  otherwise: { model: string; provider: string },
): AssistantMessage {
  const { content, model, provider, usage, stopReason, error, timestamp } = message
  return {
    role: 'assistant',
    content: content.flatMap(assistantPart),
    model: model || otherwise.model,
    provider: provider || otherwise.provider,
    usage: {
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      cacheReadTokens: usage.cacheReadTokens,
      cacheWriteTokens: usage.cacheWriteTokens,
      cost: usage.cost,
    },
    stopReason,
    ...(error ? { error } : {}),
    timestamp: timeOf(timestamp),
  }
}

/** Programs in Go cannot read a message whose time they cannot read. */
export const noTime = '0001-01-01T00:00:00Z'

function timeOf(timestamp: string): string {
  return asTime(timestamp) ?? noTime
}

function assistantPart(part: AnyAssistantMessage['content'][number]): AssistantMessage['content'] {
  if (('id' in part && part.id) || ('name' in part && part.name)) {
    const { id, name, providerMeta } = part
    return [
      {
        type: 'tool_use',
        id: String(id),
        name: String(name),
        arguments: asObject(part.arguments) ?? {},
        ...(providerMeta ? { providerMeta: asObject(providerMeta) ?? {} } : {}),
      },
    ]
  }
  if ('thinking' in part && part.thinking)
    return [{ type: 'thinking', thinking: asString(part.thinking) ?? '' }]
  const text = 'text' in part ? asString(part.text) : undefined
  return text === undefined ? [] : [{ type: 'text', text }]
}

function contentParts(parts: { [field: string]: unknown }[]): (TextPart | ImagePart)[] {
  return parts.map((part) => {
    const mimeType = asString(part.mimeType)
    return mimeType
      ? { type: 'image', data: asString(part.data) ?? '', mimeType }
      : { type: 'text', text: asString(part.text) ?? '' }
  })
}
