// Asks a server that speaks the way of OpenAI's chat completions, and puts its answer together from the pieces in which it comes.
import { asArray, asCount, asNumber, asObject, asString, type Json, parseJson } from '../../../std/json.ts'
import type { Clock } from '../../../std/time.ts'
import { type AssistantMessage, noUsage } from '../conversation/message.ts'
import type { FindKey } from '../settings/keys.ts'
import { isLoopback } from './model.ts'
import { type Answer, costOf, ModelFailure, type ModelRequest, type Piece, stopReasons } from './model-request.ts'
import { openaiBody, openaiUrl } from './openai-body.ts'
import { serverEvents } from './sse.ts'

const waitMs = 300_000

export function openaiAnswer(options: { findKey: FindKey; fetch: typeof fetch; clock: Clock }): Answer {
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

function collectParts(onPiece: (piece: Piece) => void) {
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
    calls.set(index, { id: call.id || (asString(item.id) ?? ''), name: call.name || (asString(made?.name) ?? ''), text: call.text + more })
    if (more !== '') onPiece({ kind: 'toolcall', index, delta: more })
  }

  return {
    end: () => {
      isEnded = true
    },
    take(event: Json | undefined): void {
      const fields = asObject(event)
      const problem = asObject(fields?.error)
      if (problem) throw new ModelFailure(asString(problem.message) ?? 'the server reported an error', undefined, undefined)
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
