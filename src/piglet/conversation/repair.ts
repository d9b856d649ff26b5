// Prepares conversations for models: repairs them so that every tool call is followed by its result, and
// shortens and sums them up.

import { interruptedText } from '../../extensions/tool-calls.ts'
import type { SentResult } from '../../protocol/extension/table.ts'
import {
  type AssistantChatMessage,
  type ChatMessage,
  isCall,
  messageText,
  type ToolResultChatMessage,
  toolResult,
} from './message.ts'

const noResultText = `${interruptedText} the tool was stopped before it had a result`

/** Adds a result to calls that have none, and drops results whose calls are gone. */
export function repair(messages: ChatMessage[]): ChatMessage[] {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool_result' ? [[message.toolCallId, message] as const] : [],
    ),
  )
  return messages.flatMap((message): ChatMessage[] => {
    if (message.role === 'tool_result') return []
    if (message.role === 'user') return [message]
    return [
      message,
      ...message.content
        .filter(isCall)
        .map((call) => results.get(call.id) ?? missingResult(call, message.timestamp)),
    ]
  })
}

function missingResult(call: { id: string; name: string }, at: string): ToolResultChatMessage {
  return toolResult(call, { content: [{ type: 'text', text: noResultText }], isError: true }, at)
}

/** The first message and the newest ones; these do not begin with a result whose call was cut off. */
export function newest(messages: ChatMessage[], max: number): ChatMessage[] {
  if (max <= 0 || messages.length <= max) return messages
  const [first, ...rest] = messages
  const tail = rest.slice(rest.length - Math.max(max - 1, 1))
  const start = tail.findIndex((message) => message.role !== 'tool_result')
  return [...(first ? [first] : []), ...(start < 0 ? [] : tail.slice(start))]
}

/** The newest messages that fit into so many bytes of JSON. */
export function newestWithin(messages: ChatMessage[], maxBytes: number): ChatMessage[] {
  let room = maxBytes
  const start = messages.findLastIndex((message) => {
    room -= Buffer.byteLength(JSON.stringify(message))
    return room < 0
  })
  return messages.slice(start + 1)
}

/** What a conversation has used so far. */
export function sessionStats(messages: ChatMessage[], model: string): SentResult<'host/sessionStats'> {
  const answers = messages.filter((message): message is AssistantChatMessage => message.role === 'assistant')
  const sum = (field: keyof AssistantChatMessage['usage']) =>
    answers.reduce((total, { usage }) => total + usage[field], 0)
  return {
    turnCount: answers.length,
    totalInputTokens: sum('inputTokens'),
    totalOutputTokens: sum('outputTokens'),
    totalCacheReadTokens: sum('cacheReadTokens'),
    totalCacheWriteTokens: sum('cacheWriteTokens'),
    totalCost: sum('cost'),
    model,
  }
}

/** The first text of the last answer that has one. */
export function lastAssistantText(messages: ChatMessage[]): string {
  const answer = messages.findLast((message) => message.role === 'assistant' && messageText(message) !== '')
  const part =
    answer?.role === 'assistant'
      ? answer.content.find((content) => content.type === 'text' && content.text !== '')
      : undefined
  return part?.type === 'text' ? part.text : ''
}
