// The conversation that a branch of a session stands for.
import { asArray, asObject, asString } from '../../../std/json.ts'
import { assistantText, type Message } from '../conversation/message.ts'
import { noTime, parseMessage } from '../conversation/parse-message.ts'
import { repair } from '../conversation/repair.ts'
import type { Entry } from './entry.ts'

/** Who wrote a message that no model made. */
export const customAuthor = { model: 'custom', provider: 'custom' }

export function branchMessages(branch: Entry[]): Message[] {
  let messages: Message[] = []
  for (const entry of branch) {
    // Everything before it is in it, as far as it was worth keeping.
    if (entry.type === 'compact')
      messages = asArray(entry.data).flatMap((item) => messageOf(asString(asObject(item)?.type) ?? '', asObject(item)?.data, entry))
    else messages.push(...messageOf(entry.type, entry.data, entry))
  }
  return repair(messages)
}

function messageOf(type: string, data: unknown, { timestamp }: Entry): Message[] {
  if (type !== 'custom_message') {
    const message = parseMessage(type, data)
    return message ? [message.timestamp === noTime && timestamp !== '' ? { ...message, timestamp } : message] : []
  }
  return [customMessage(asString(asObject(data)?.role) ?? '', asString(asObject(data)?.content) ?? '', timestamp)]
}

export function customMessage(role: string, content: string, timestamp: string): Message {
  if (role !== 'assistant') return { role: 'user', content, timestamp }
  return { ...assistantText(content, customAuthor, new Date(0)), timestamp }
}
