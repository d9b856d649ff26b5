// Asks a server that speaks the way of OpenAI's chat completions, and puts its answer together from the pieces in which it comes.

import { asArray, asCount, asNumber, asObject, asString, type Json, parseJson } from '../../std/json.ts'
import type { Clock } from '../../std/time.ts'
import {
  type AssistantMessage,
  type ChatMessage,
  type ImagePart,
  isCall,
  messageText,
  noUsage,
  type TextPart,
} from '../conversation/message.ts'
import type { FindKey } from '../settings/keys.ts'
import { isLoopback } from './model.ts'
import {
  type AnswerPiece,
  type AnswerRequest,
  costOf,
  ModelFailure,
  type ModelRequest,
  stopReasons,
} from './request.ts'

const waitMs = 300_000

export function openaiAnswer(options: {
  findKey: FindKey
  fetch: typeof fetch
  clock: Clock
}): AnswerRequest {
  return async (request, { signal, onPiece }) => {
    const { model } = request
    const key = (await options.findKey(model.provider)) || (isLoopback(model.baseUrl) ? 'local' : '')
    if (key === '') throw new ModelFailure(`there is no key for ${model.provider}`, 401, undefined)
    const response = await options.fetch(openaiUrl(model.baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...model.headers },
      body: JSON.stringify(openaiBody(request)),
      signal: AbortSignal.any([signal, AbortSignal.timeout(waitMs)]),
    })
    if (!response.ok || !response.body) throw await failureOf(response)
    const parts = collectParts(onPiece)
    for await (const event of serverEvents(response.body)) {
      if (event === '[DONE]') parts.end()
      else parts.take(parseJson(event))
    }
    return parts.message(request, options.clock())
  }
}

async function failureOf(response: Response): Promise<ModelFailure> {
  const text = await response.text().catch(() => '')
  const error = asObject(parseJson(text))?.error
  const said = asString(asObject(error)?.message) ?? asString(error) ?? text.slice(0, 500)
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ModelFailure(
    `${response.status} ${said || response.statusText}`.trim(),
    response.status,
    seconds >= 0 ? seconds * 1000 : undefined,
  )
}

interface Call {
  id: string
  name: string
  text: string
}

function collectParts(onPiece: (piece: AnswerPiece) => void) {
  let [text, thinking, reason] = ['', '', '']
  let isEnded = false
  let usage: Json | undefined
  const calls = new Map<number, Call>()

  function takeDelta(delta: Json | undefined): void {
    const fields = asObject(delta) ?? {}
    const said = asString(fields.content) ?? ''
    const thought = asString(fields.reasoning_content) ?? asString(fields.reasoning) ?? ''
    if (thought !== '') onPiece({ kind: 'thinking', index: 0, delta: thought })
    if (said !== '') onPiece({ kind: 'text', index: thinking + thought === '' ? 0 : 1, delta: said })
    text += said
    thinking += thought
    for (const [at, item] of asArray(fields.tool_calls).entries()) takeCall(asObject(item) ?? {}, at)
  }

  function takeCall(item: { [field: string]: Json }, at: number): void {
    const index = asNumber(item.index) ?? at
    const made = asObject(item.function)
    const call = calls.get(index) ?? { id: '', name: '', text: '' }
    const more = asString(made?.arguments) ?? ''
    calls.set(index, {
      id: call.id || (asString(item.id) ?? ''),
      name: call.name || (asString(made?.name) ?? ''),
      text: call.text + more,
    })
    if (more !== '') onPiece({ kind: 'toolcall', index, delta: more })
  }

  return {
    end: () => {
      isEnded = true
    },
    take(event: Json | undefined): void {
      const fields = asObject(event)
      const problem = asObject(fields?.error)
      if (problem)
        throw new ModelFailure(
          asString(problem.message) ?? 'the server reported an error',
          undefined,
          undefined,
        )
      const choice = asObject(asArray(fields?.choices)[0])
      takeDelta(choice?.delta)
      reason = asString(choice?.finish_reason) ?? reason
      usage = asObject(fields?.usage) ?? usage
    },
    message({ model }: ModelRequest, at: Date): AssistantMessage {
      if (!isEnded && reason === '') throw new ModelFailure('the answer broke off', undefined, undefined)
      const content: AssistantMessage['content'] = []
      if (thinking !== '') content.push({ type: 'thinking', thinking })
      if (text !== '') content.push({ type: 'text', text })
      for (const [index, call] of calls)
        content.push({
          type: 'tool_use',
          id: call.id || `call_${index}`,
          name: call.name,
          arguments: asObject(parseJson(call.text || '{}')) ?? { _unreadable: call.text },
        })
      const spent = spentOf(usage)
      return {
        role: 'assistant',
        content,
        model: model.id,
        provider: model.provider,
        usage: { ...spent, cost: costOf(model, spent) },
        stopReason: calls.size > 0 ? 'toolUse' : (stopReasons[reason] ?? 'stop'),
        timestamp: at.toISOString(),
      }
    },
  }
}

function spentOf(usage: Json | undefined): AssistantMessage['usage'] {
  const fields = asObject(usage)
  if (!fields) return noUsage
  return {
    ...noUsage,
    inputTokens: asCount(fields.prompt_tokens),
    outputTokens: asCount(fields.completion_tokens),
    cacheReadTokens: asCount(asObject(fields.prompt_tokens_details)?.cached_tokens),
  }
}

// A question in the way of OpenAI's chat completions.

/** Newer models have another name for the limit. */
const renamed = /^(?:o1|o3|o4|gpt-4\.1|gpt-4\.5|gpt-5)/

export function openaiBody({ model, system, messages, tools, maxTokens }: ModelRequest): object {
  const limit = maxTokens > 0 ? maxTokens : model.maxTokens
  return {
    model: model.id,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...messages.flatMap(openaiMessages),
    ],
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

function openaiMessages(message: ChatMessage): object[] {
  if (message.role === 'assistant') return [assistant(message)]
  if (message.role === 'user')
    return [{ role: 'user', content: message.blocks ? message.blocks.map(part) : message.content }]
  const images = message.content.filter((one): one is ImagePart => one.type === 'image')
  const result = { role: 'tool', tool_call_id: message.toolCallId, content: messageText(message) }
  // Results are text only; what a tool shows comes after it.
  return images.length === 0 ? [result] : [result, { role: 'user', content: images.map(part) }]
}

function assistant(message: AssistantMessage): object {
  const calls = message.content.filter(isCall)
  const text = messageText(message)
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

// Events that a server sends one after the other over one answer.

/** The data of each event. An event that the end of the stream cut off is left out. */
export async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  let data: string[] = []
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
      if (line !== '' || data.length === 0) continue
      yield data.join('\n')
      data = []
    }
  }
  if (rest.startsWith('data:')) data.push(rest.slice(5).replace(/^ /, ''))
  if (data.length > 0) yield data.join('\n')
}
