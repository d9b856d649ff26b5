// Reads messages that others wrote: extensions, other programs, older versions. What cannot be one is left out.
import * as v from 'valibot'
import {
  type AssistantMessage as AnyAssistantMessage,
  assistantMessage,
  type CompactMessage,
  toolResultMessage,
  userMessage,
} from '../../../protocol/extension-content.ts'
import { asObject, asString, asTime } from '../../../std/json.ts'
import type { AssistantMessage, ImagePart, Message, TextPart, ToolResultMessage, UserMessage } from './message.ts'

export type Kind = Message['role']

/** Undefined for what is no message of this kind. */
export function parseMessage(kind: string, data: unknown): Message | undefined {
  return Object.hasOwn(parsers, kind) ? parsers[kind as Kind](data) : undefined
}

export function parseCompactMessages(messages: CompactMessage[]): Message[] {
  return messages.flatMap(({ type, data }) => parseMessage(type, data) ?? [])
}

export function toCompactMessages(messages: Message[]): CompactMessage[] {
  return messages.map((message) => ({ type: message.role, data: message }))
}

const parsers: { [K in Kind]: (data: unknown) => Extract<Message, { role: K }> | undefined } = {
  user(data): UserMessage | undefined {
    const parsed = v.safeParse(userMessage, data)
    if (!parsed.success) return undefined
    const { content, blocks, timestamp } = parsed.output
    return { role: 'user', content, ...(blocks.length === 0 ? {} : { blocks: contentParts(blocks) }), timestamp: timeOf(timestamp) }
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
export function fromProvider(message: AnyAssistantMessage, otherwise: { model: string; provider: string }): AssistantMessage {
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
  if ('thinking' in part && part.thinking) return [{ type: 'thinking', thinking: asString(part.thinking) ?? '' }]
  const text = 'text' in part ? asString(part.text) : undefined
  return text === undefined ? [] : [{ type: 'text', text }]
}

function contentParts(parts: { [field: string]: unknown }[]): (TextPart | ImagePart)[] {
  return parts.map((part) => {
    const mimeType = asString(part.mimeType)
    return mimeType ? { type: 'image', data: asString(part.data) ?? '', mimeType } : { type: 'text', text: asString(part.text) ?? '' }
  })
}
