// A question in the way of OpenAI's chat completions.
import { type AssistantMessage, type ImagePart, isCall, type Message, type TextPart, textOf } from '../conversation/message.ts'
import type { ModelRequest } from './model-request.ts'

/** Newer models have another name for the limit. */
const renamed = /^(?:o1|o3|o4|gpt-4\.1|gpt-4\.5|gpt-5)/

export function openaiBody({ model, system, messages, tools, maxTokens }: ModelRequest): object {
  const limit = maxTokens > 0 ? maxTokens : model.maxTokens
  return {
    model: model.id,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...messages.flatMap(openaiMessages)],
    stream: true,
    stream_options: { include_usage: true },
    ...(tools.length === 0 ? {} : { tools: tools.map(openaiTool) }),
    ...(limit > 0 ? { [renamed.test(model.id) ? 'max_completion_tokens' : 'max_tokens']: limit } : {}),
  }
}

export function openaiUrl(baseUrl: string): string {
  const base = baseUrl.replace(/\/+$/, '')
  return /\/v\d+$/.test(base) ? `${base}/chat/completions` : `${base}/v1/chat/completions`
}

function openaiTool({ name, description, parameters }: ModelRequest['tools'][number]): object {
  return { type: 'function', function: { name, description, parameters: parameters ?? { type: 'object' } } }
}

function openaiMessages(message: Message): object[] {
  if (message.role === 'assistant') return [assistant(message)]
  if (message.role === 'user') return [{ role: 'user', content: message.blocks ? message.blocks.map(part) : message.content }]
  const images = message.content.filter((one): one is ImagePart => one.type === 'image')
  const result = { role: 'tool', tool_call_id: message.toolCallId, content: textOf(message) }
  // Results are text only; what a tool shows comes after it.
  return images.length === 0 ? [result] : [result, { role: 'user', content: images.map(part) }]
}

function assistant(message: AssistantMessage): object {
  const calls = message.content.filter(isCall)
  const text = textOf(message)
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, arguments: args }) => ({
            id,
            type: 'function',
            function: { name, arguments: JSON.stringify(args) },
          })),
        }),
  }
}

function part(one: TextPart | ImagePart): object {
  return one.type === 'text'
    ? { type: 'text', text: one.text }
    : { type: 'image_url', image_url: { url: `data:${one.mimeType};base64,${one.data}` } }
}
