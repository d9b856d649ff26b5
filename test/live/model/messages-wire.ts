// Anthropic's messages, which Claude Code speaks: blocks in, a stream of named events out.
import type { JsonObject } from '../../../src/std/json.ts'
import type { Conversation, Reply, Said } from './conversation.ts'
import { objects, textOf } from './objects.ts'

export function parseMessages(body: JsonObject): Conversation {
  return {
    model: String(body.model),
    said: objects(body.messages).flatMap(parseMessage),
    tools: objects(body.tools).map(({ name }) => String(name)),
  }
}

// A message of the user may hold results of tools and what the user typed meanwhile.
function parseMessage({ role, content }: JsonObject): Said[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content)
  const has = (type: string) => blocks.some((block) => block.type === type)
  const text = textOf(blocks)
  if (role === 'assistant') return [{ role: 'model', text, called: has('tool_use') }]
  const results: Said[] = has('tool_result') ? [{ role: 'tool', text: resultsIn(blocks), called: false }] : []
  return text === '' ? results : [...results, { role: 'user', text, called: false }]
}

function resultsIn(blocks: JsonObject[]): string {
  return blocks.map(({ type, content }) => (type === 'tool_result' ? textOf(content) : '')).join('\n')
}

/** Each block is begun, filled and ended; the cost comes with the beginning, its output with the end. */
export function messageEvents(conversation: Conversation, reply: Reply, id: string): JsonObject[] {
  const { content, stop_reason, usage, ...message } = messageAnswer(conversation, reply, id)
  const blocks = objects(content).flatMap((block, index): JsonObject[] => [
    {
      type: 'content_block_start',
      index,
      content_block: block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} },
    },
    {
      type: 'content_block_delta',
      index,
      delta:
        block.type === 'text'
          ? { type: 'text_delta', text: block.text ?? '' }
          : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
    },
    { type: 'content_block_stop', index },
  ])
  return [
    {
      type: 'message_start',
      message: {
        ...message,
        content: [],
        stop_reason: null,
        usage: { ...(usage as JsonObject), output_tokens: 1 },
      },
    },
    ...blocks,
    {
      type: 'message_delta',
      delta: { stop_reason: stop_reason ?? null, stop_sequence: null },
      usage: usage ?? {},
    },
    { type: 'message_stop' },
  ]
}

/** The same for a request that does not stream. */
export function messageAnswer({ model }: Conversation, { text, calls, cost }: Reply, id: string): JsonObject {
  const words = text === '' ? [] : [{ type: 'text', text }]
  const uses = calls.map(({ tool, args }, index) => ({
    type: 'tool_use',
    id: `toolu_${id}_${index}`,
    name: tool,
    input: args,
  }))
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [...words, ...uses],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: cost.input - cost.cached,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: cost.cached,
      output_tokens: cost.output,
    },
  }
}
