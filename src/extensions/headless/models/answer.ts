// Whoever speaks for models of a kind answers: an extension that registered for it, looked up when it is needed; else ourselves.
import type { Clock } from '../../../std/time.ts'
import { streamAnswer } from '../../provider-stream.ts'
import { type Reach, requireRunning } from '../../running.ts'
import { fromProvider } from '../conversation/parse-message.ts'
import type { FindKey } from '../settings/keys.ts'
import { type Answer, costOf, ModelFailure, type Piece } from './model-request.ts'
import { openaiAnswer } from './openai-answer.ts'

const kinds: Record<string, Piece['kind']> = { text_delta: 'text', thinking_delta: 'thinking', toolcall_delta: 'toolcall' }

export function createAnswer(reach: () => Reach, options: { findKey: FindKey; fetch: typeof fetch; clock: Clock }): Answer {
  const ownAnswer = openaiAnswer(options)
  return async (request, { signal, onPiece }) => {
    const { model, system, messages, tools, maxTokens } = request
    const { registry, running } = reach()
    const owner = registry.provider(model.api)
    if (owner === undefined) {
      if (model.api === 'openai') return await ownAnswer(request, { signal, onPiece })
      throw new ModelFailure(`nobody speaks for models of kind ${model.api}: an extension has to register for it`, 404, undefined)
    }
    const params = { model, system, messages, ...(tools.length === 0 ? {} : { tools }), options: maxTokens > 0 ? { maxTokens } : {} }
    const message = await streamAnswer(requireRunning(running, owner), params, {
      signal,
      onDelta({ type, index, delta }) {
        const kind = kinds[type]
        if (kind !== undefined) onPiece({ kind, index, delta })
      },
    })
    const answer = fromProvider(message, { model: model.id, provider: model.provider })
    if (answer.stopReason === 'error') throw new ModelFailure(answer.error ?? 'the provider reported an error', undefined, undefined)
    const cost = answer.usage.cost || costOf(model, answer.usage)
    return { ...answer, usage: { ...answer.usage, cost }, timestamp: options.clock().toISOString() }
  }
}
