// OpenAI's responses, which Codex speaks: a list of items in, a stream of named events out.
import type { JsonObject } from '../../../src/std/json.ts'
import type { Conversation, Reply, Said } from './conversation.ts'
import { objects, textOf } from './objects.ts'

export function parseResponses(body: JsonObject): Conversation {
  return {
    model: String(body.model),
    said: objects(body.input).flatMap(parseItem),
    tools: objects(body.tools).map(({ name, type }) => String(name ?? type)),
  }
}

const roles: Record<string, Said['role']> = { user: 'user', assistant: 'model' }

function parseItem({ type, role, content, output }: JsonObject): Said[] {
  if (type === 'function_call' || type === 'custom_tool_call')
    return [{ role: 'model', text: '', called: true }]
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    return [{ role: 'tool', text: textOf(output), called: false }]
  return type === 'message'
    ? [{ role: roles[String(role)] ?? 'system', text: textOf(content), called: false }]
    : []
}

/** Each item is begun and ended; the last event has all of them, and the cost. */
export function responseEvents({ model }: Conversation, reply: Reply, id: string): JsonObject[] {
  const output = itemsOf(reply, id)
  const { input, cached, output: written } = reply.cost
  const response = { id: `resp_${id}`, object: 'response', created_at: 1, model }
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } },
      { type: 'response.output_item.done', output_index, item },
    ]),
    {
      type: 'response.completed',
      response: {
        ...response,
        status: 'completed',
        output,
        usage: {
          input_tokens: input,
          input_tokens_details: { cached_tokens: cached },
          output_tokens: written,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: input + written,
        },
      },
    },
  ]
  return events.map((event, sequence_number) => ({ ...event, sequence_number }))
}

function itemsOf({ text, calls }: Reply, id: string): JsonObject[] {
  const words = { type: 'output_text', text, annotations: [] }
  const message = {
    type: 'message',
    id: `msg_${id}`,
    role: 'assistant',
    status: 'completed',
    content: [words],
  }
  const called = calls.map(({ tool, args, namespace }, index): JsonObject => {
    const call = { call_id: `call_${id}_${index}`, name: tool, status: 'completed' }
    // A tool that takes any text has an input instead of arguments.
    return typeof args.input === 'string'
      ? { type: 'custom_tool_call', id: `ctc_${id}_${index}`, ...call, input: args.input }
      : {
          type: 'function_call',
          id: `fc_${id}_${index}`,
          ...call,
          arguments: JSON.stringify(args),
          ...(namespace === undefined ? {} : { namespace }),
        }
  })
  return text === '' ? called : [message, ...called]
}
