// OpenAI's chat completions, which most agents can be pointed at: messages in, a stream of deltas out.
import type { JsonObject } from '../../../src/std/json.ts'
import type { Conversation, Reply, Said } from './conversation.ts'
import { objects, textOf } from './objects.ts'

const roles: Record<string, Said['role']> = { user: 'user', assistant: 'model', tool: 'tool' }

export function parseChat(body: JsonObject): Conversation {
  return {
    model: String(body.model),
    said: objects(body.messages).map(({ role, content, tool_calls }) => ({
      role: roles[String(role)] ?? 'system',
      text: textOf(content),
      called: objects(tool_calls).length > 0,
    })),
    tools: objects(body.tools).map((tool) => String((tool.function as JsonObject | undefined)?.name)),
  }
}

/**
 * Streams text, then calls, then the stop reason, then usage. `id` makes the ids of calls unique in a
 * session.
 */
export function chatEvents({ model }: Conversation, { text, calls, cost }: Reply, id: string): JsonObject[] {
  const called = calls.map(({ tool, args }, index) => ({
    index,
    id: `call_${id}_${index}`,
    type: 'function',
    function: { name: tool, arguments: JSON.stringify(args) },
  }))
  const event = (choices: JsonObject[]): JsonObject => ({
    id: `chat-${id}`,
    object: 'chat.completion.chunk',
    created: 1,
    model,
    choices,
  })
  const delta = (delta: JsonObject, reason: string | null = null) =>
    event([{ index: 0, delta, finish_reason: reason }])
  return [
    delta({ role: 'assistant', content: text }),
    ...called.map((call) => delta({ tool_calls: [call] })),
    delta({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    {
      ...event([]),
      usage: {
        prompt_tokens: cost.input,
        prompt_tokens_details: { cached_tokens: cost.cached },
        completion_tokens: cost.output,
        total_tokens: cost.input + cost.output,
      },
    },
  ]
}

/** The same for an agent that does not stream. */
export function chatAnswer(conversation: Conversation, reply: Reply, id: string): JsonObject {
  const events = chatEvents(conversation, reply, id)
  const deltas = events.flatMap(({ choices }) => objects(choices)).map(({ delta }) => delta as JsonObject)
  const tool_calls = deltas.flatMap((delta) => objects(delta.tool_calls))
  const message: JsonObject = {
    role: 'assistant',
    content: reply.text,
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
  }
  return {
    id: `chat-${id}`,
    object: 'chat.completion',
    created: 1,
    model: conversation.model,
    choices: [{ index: 0, message, finish_reason: tool_calls.length > 0 ? 'tool_calls' : 'stop' }],
    usage: events.at(-1)?.usage ?? {},
  }
}
