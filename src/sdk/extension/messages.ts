// Tells the kinds of messages of a conversation apart by their fields, and reads their text.

import type { AssistantMessage, ToolResultMessage, UserMessage } from '../../protocol/extension/content.ts'

export type Message = UserMessage | AssistantMessage | ToolResultMessage

export function isToolResult(message: Message): message is ToolResultMessage {
  return 'toolCallId' in message && typeof message.toolCallId === 'string'
}

export function isAssistant(message: Message): message is AssistantMessage {
  return !isToolResult(message) && Array.isArray(message.content)
}

export function isUser(message: Message): message is UserMessage {
  return !isToolResult(message) && !isAssistant(message)
}

/** All text of the message, without images and tool calls. */
export function textOf(message: Message): string {
  const parts = isUser(message) ? [{ text: message.content }, ...message.blocks] : message.content
  return parts
    .flatMap((part) =>
      'text' in part && typeof part.text === 'string' && part.text !== '' ? [part.text] : [],
    )
    .join('\n')
}
