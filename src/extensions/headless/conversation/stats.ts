// What a conversation has taken so far.
import type { SentResult } from '../../../protocol/extension.ts'
import { type AssistantMessage, type Message, textOf } from './message.ts'

export function sessionStats(messages: Message[], model: string): SentResult<'host/sessionStats'> {
  const answers = messages.filter((message): message is AssistantMessage => message.role === 'assistant')
  const sum = (field: keyof AssistantMessage['usage']) => answers.reduce((total, { usage }) => total + usage[field], 0)
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
export function lastAssistantText(messages: Message[]): string {
  const answer = messages.findLast((message) => message.role === 'assistant' && textOf(message) !== '')
  const part = answer?.role === 'assistant' ? answer.content.find((one) => one.type === 'text' && one.text !== '') : undefined
  return part?.type === 'text' ? part.text : ''
}
