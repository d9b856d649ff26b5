// Defines the messages of a conversation as they are stored and sent: with the field names of the reference
// program, and with those that extensions expect.

import * as v from 'valibot'
import type { ToolOutcome } from '../../extensions/registry.ts'
import {
  type AssistantMessage,
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

export type AnswerUsage = {
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  /** In US dollars. */
  cost: number
}

export type StopReason = 'stop' | 'length' | 'toolUse' | 'error' | 'aborted'

export type UserChatMessage = {
  role: 'user'
  content: string
  blocks?: (TextPart | ImagePart)[]
  timestamp: string
}

export type AssistantChatMessage = {
  role: 'assistant'
  content: (TextPart | ThinkingPart | CallPart)[]
  /** Model and provider are never empty: other programs rely on them. */
  model: string
  provider: string
  usage: AnswerUsage
  stopReason: string
  error?: string
  timestamp: string
}

export type ToolResultChatMessage = {
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

export type ChatMessage = UserChatMessage | AssistantChatMessage | ToolResultChatMessage

export const noUsage: AnswerUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cost: 0,
}

export function newUserMessage(text: string, images: ImagePart[], at: Date): UserChatMessage {
  const blocks = images.length === 0 ? {} : { blocks: [{ type: 'text' as const, text }, ...images] }
  return { role: 'user', content: text, ...blocks, timestamp: at.toISOString() }
}

export function assistantText(
  text: string,
  from: { model: string; provider: string },
  at: Date,
): AssistantChatMessage {
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
): ToolResultChatMessage {
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

export function isCall(part: AssistantChatMessage['content'][number]): part is CallPart {
  return part.type === 'tool_use'
}

/** All text of a message, without images, thinking and calls. */
export function messageText(message: ChatMessage): string {
  if (message.role === 'user') return message.blocks ? textsOf(message.blocks) : message.content
  return textsOf(message.content)
}

function textsOf(parts: { type: string; text?: string }[]): string {
  return parts.flatMap((part) => (part.type === 'text' && part.text ? [part.text] : [])).join('\n')
}

export type ChatRole = ChatMessage['role']

/**
 * Reads a message written by an extension, another program or an older version. Undefined for anything else.
 */
export function parseChatMessage(role: string, data: unknown): ChatMessage | undefined {
  return Object.hasOwn(parsers, role) ? parsers[role as ChatRole](data) : undefined
}

export function parseCompactMessages(messages: CompactMessage[]): ChatMessage[] {
  return messages.flatMap(({ type, data }) => parseChatMessage(type, data) ?? [])
}

export function toCompactMessages(messages: ChatMessage[]): CompactMessage[] {
  return messages.map((message) => ({ type: message.role, data: message }))
}

const parsers: { [K in ChatRole]: (data: unknown) => Extract<ChatMessage, { role: K }> | undefined } = {
  user(data): UserChatMessage | undefined {
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
  tool_result(data): ToolResultChatMessage | undefined {
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

/** Reads an answer of an extension; `otherwise` is its author if it names none. */
export function fromProvider(
  message: AssistantMessage,
  otherwise: { model: string; provider: string },
): AssistantChatMessage {
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

/** The zero time of Go, whose programs cannot read a message without a valid time. */
export const noTime = '0001-01-01T00:00:00Z'

function timeOf(timestamp: string): string {
  return asTime(timestamp) ?? noTime
}

function assistantPart(part: AssistantMessage['content'][number]): AssistantChatMessage['content'] {
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
