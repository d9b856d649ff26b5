// The model that is being used, and how another one takes its place.

import type { Environment } from '../../extensions/launch.ts'
import { requireRunning } from '../../extensions/live-extension.ts'
import { streamAnswer } from '../../extensions/prompt-chain.ts'
import type { ExtensionAccess } from '../../extensions/registry.ts'
import { RpcFailure, rpcErrorCodes } from '../../protocol/extension/rpc.ts'
import { EntireError } from '../../std/errors.ts'
import type { Clock } from '../../std/time.ts'
import { fromProvider } from '../conversation/message.ts'
import { type PigletConfig, writeSetting } from '../settings/config.ts'
import type { FindKey } from '../settings/keys.ts'
import { type ChatModel, findModel, keyOf, wantedModel } from './model.ts'
import type { ModelList } from './model-list.ts'
import { openaiAnswer } from './openai.ts'
import { type AnswerPiece, type AnswerRequest, costOf, ModelFailure } from './request.ts'

export interface ModelChoiceOptions {
  models: ModelList
  configDir: string
  env: Environment
  config(): PigletConfig
  /** Instead of what the settings say. */
  first: string
  onSwitch(model: ChatModel): void
}

export type ModelChoice = ReturnType<typeof createModelChoice>

export function createModelChoice({ models, configDir, env, config, first, onSwitch }: ModelChoiceOptions) {
  let chosen = first

  /** For a purpose like `small`, or by name. */
  function resolve(query: string): ChatModel {
    const wanted = wantedModel(query, env, config())
    if (wanted === '')
      throw new EntireError('not-found', 'no model configured', {
        hint: 'Set defaultModel in config.yaml, or PIGLET_DEFAULT_MODEL.',
      })
    const model = findModel(models.all(), wanted)
    if (!model) throw new EntireError('not-found', `unknown model: ${wanted}`)
    return model
  }

  return {
    resolve,
    current: () => resolve(chosen),
    find(): ChatModel | undefined {
      try {
        return resolve(chosen)
      } catch {
        return undefined
      }
    },
    switchTo(modelId: string, isLasting: boolean): void {
      if (modelId === '') throw new RpcFailure(rpcErrorCodes.failed, 'modelId is required')
      const model = models.all().find((one) => keyOf(one).toLowerCase() === modelId.toLowerCase())
      if (!model) throw new RpcFailure(rpcErrorCodes.failed, `unknown model: ${modelId}`)
      chosen = keyOf(model)
      if (isLasting) writeSetting(configDir, 'defaultModel', chosen)
      onSwitch(model)
    },
  }
}

// Whoever speaks for models of a kind answers: an extension that registered for it, looked up when it is needed; else ourselves.

const kinds: Record<string, AnswerPiece['kind']> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  toolcall_delta: 'toolcall',
}

export function createAnswer(
  reach: () => ExtensionAccess,
  options: { findKey: FindKey; fetch: typeof fetch; clock: Clock },
): AnswerRequest {
  const ownAnswer = openaiAnswer(options)
  return async (request, { signal, onPiece }) => {
    const { model, system, messages, tools, maxTokens } = request
    const { registry, running } = reach()
    const owner = registry.provider(model.api)
    if (owner === undefined) {
      if (model.api === 'openai') return await ownAnswer(request, { signal, onPiece })
      throw new ModelFailure(
        `nobody speaks for models of kind ${model.api}: an extension has to register for it`,
        404,
        undefined,
      )
    }
    const params = {
      model,
      system,
      messages,
      ...(tools.length === 0 ? {} : { tools }),
      options: maxTokens > 0 ? { maxTokens } : {},
    }
    const message = await streamAnswer(requireRunning(running, owner), params, {
      signal,
      onDelta({ type, index, delta }) {
        const kind = kinds[type]
        if (kind !== undefined) onPiece({ kind, index, delta })
      },
    })
    const answer = fromProvider(message, { model: model.id, provider: model.provider })
    if (answer.stopReason === 'error')
      throw new ModelFailure(answer.error ?? 'the provider reported an error', undefined, undefined)
    const cost = answer.usage.cost || costOf(model, answer.usage)
    return { ...answer, usage: { ...answer.usage, cost }, timestamp: options.clock().toISOString() }
  }
}
