// Asks a server through OpenAI's chat completions API, and puts its streamed answer together.

import { asArray, asCount, asNumber, asObject, asString, type Json, parseJson } from '../../std/json.ts'
import type { Clock } from '../../std/time.ts'
import {
  type AssistantChatMessage,
  type ChatMessage,
  type ImagePart,
  isCall,
  messageText,
  noUsage,
  type TextPart,
} from '../conversation/message.ts'
import type { FindKey } from '../settings/keys.ts'
import {
  type AnswerPiece,
  type AnswerRequest,
  costOf,
  isLoopback,
  ModelFailure,
  type ModelRequest,
  stopReasons,
} from './model.ts'

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
    const answer = new AnswerCollector(onPiece)
    for await (const event of serverEvents(response.body)) {
      if (event === '[DONE]') answer.end()
      else answer.take(parseJson(event))
    }
    return answer.message(request, options.clock())
  }
}

async function failureOf(response: Response): Promise<ModelFailure> {
  const text = await response.text().catch(() => '')
  const error = asObject(parseJson(text))?.error
  const reason = asString(asObject(error)?.message) ?? asString(error) ?? text.slice(0, 500)
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ModelFailure(
    `${response.status} ${reason || response.statusText}`.trim(),
    response.status,
    seconds >= 0 ? seconds * 1000 : undefined,
  )
}

interface PartialCall {
  id: string
  name: string
  text: string
}

/** Puts an answer together from the events in which it arrives. */
class AnswerCollector {
  readonly #onPiece: (piece: AnswerPiece) => void
  #text = ''
  #thinking = ''
  #finishReason = ''
  #usage: Json | undefined
  #hasEnded = false
  readonly #calls = new Map<number, PartialCall>()

  constructor(onPiece: (piece: AnswerPiece) => void) {
    this.#onPiece = onPiece
  }

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
    this.#takeDelta(choice?.delta)
    this.#finishReason = asString(choice?.finish_reason) ?? this.#finishReason
    this.#usage = asObject(fields?.usage) ?? this.#usage
  }

  end(): void {
    this.#hasEnded = true
  }

  message({ model }: ModelRequest, at: Date): AssistantChatMessage {
    if (!this.#hasEnded && this.#finishReason === '')
      throw new ModelFailure('the answer broke off', undefined, undefined)
    const content: AssistantChatMessage['content'] = []
    if (this.#thinking !== '') content.push({ type: 'thinking', thinking: this.#thinking })
    if (this.#text !== '') content.push({ type: 'text', text: this.#text })
    for (const [index, call] of this.#calls)
      content.push({
        type: 'tool_use',
        id: call.id || `call_${index}`,
        name: call.name,
        arguments: asObject(parseJson(call.text || '{}')) ?? { _unreadable: call.text },
      })
    const usage = tokenUsage(this.#usage)
    return {
      role: 'assistant',
      content,
      model: model.id,
      provider: model.provider,
      usage: { ...usage, cost: costOf(model, usage) },
      stopReason: this.#calls.size > 0 ? 'toolUse' : (stopReasons[this.#finishReason] ?? 'stop'),
      timestamp: at.toISOString(),
    }
  }

  #takeDelta(delta: Json | undefined): void {
    const fields = asObject(delta) ?? {}
    const text = asString(fields.content) ?? ''
    const thinking = asString(fields.reasoning_content) ?? asString(fields.reasoning) ?? ''
    this.#text += text
    this.#thinking += thinking
    if (thinking !== '') this.#onPiece({ kind: 'thinking', index: 0, delta: thinking })
    if (text !== '') this.#onPiece({ kind: 'text', index: this.#thinking === '' ? 0 : 1, delta: text })
    for (const [at, item] of asArray(fields.tool_calls).entries()) this.#takeCall(asObject(item) ?? {}, at)
  }

  #takeCall(item: { [field: string]: Json }, at: number): void {
    const index = asNumber(item.index) ?? at
    const called = asObject(item.function)
    const call = this.#calls.get(index) ?? { id: '', name: '', text: '' }
    const delta = asString(called?.arguments) ?? ''
    this.#calls.set(index, {
      id: call.id || (asString(item.id) ?? ''),
      name: call.name || (asString(called?.name) ?? ''),
      text: call.text + delta,
    })
    if (delta !== '') this.#onPiece({ kind: 'toolcall', index, delta })
  }
}

function tokenUsage(usage: Json | undefined): AssistantChatMessage['usage'] {
  const fields = asObject(usage)
  if (!fields) return noUsage
  return {
    ...noUsage,
    inputTokens: asCount(fields.prompt_tokens),
    outputTokens: asCount(fields.completion_tokens),
    cacheReadTokens: asCount(asObject(fields.prompt_tokens_details)?.cached_tokens),
  }
}

/** Newer models have another name for the token limit. */
const renamedLimit = /^(?:o1|o3|o4|gpt-4\.1|gpt-4\.5|gpt-5)/

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
    ...(limit > 0 ? { [renamedLimit.test(model.id) ? 'max_completion_tokens' : 'max_tokens']: limit } : {}),
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
  if (message.role === 'assistant') return [openaiAssistant(message)]
  if (message.role === 'user')
    return [{ role: 'user', content: message.blocks ? message.blocks.map(openaiPart) : message.content }]
  const images = message.content.filter((part): part is ImagePart => part.type === 'image')
  const result = { role: 'tool', tool_call_id: message.toolCallId, content: messageText(message) }
  // A tool result is text only; images follow in a user message.
  return images.length === 0 ? [result] : [result, { role: 'user', content: images.map(openaiPart) }]
}

function openaiAssistant(message: AssistantChatMessage): object {
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

function openaiPart(part: TextPart | ImagePart): object {
  return part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${part.data}` } }
}

/** Yields the data of each server-sent event. */
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
