// Chooses the model in use, and passes a request to what answers for it: an extension, or piglet itself.

import { requireRunning } from '../../extensions/live-extension.ts'
import { streamAnswer } from '../../extensions/prompt-chain.ts'
import type { ExtensionAccess } from '../../extensions/registry.ts'
import { RpcFailure, rpcErrorCodes } from '../../protocol/extension/rpc.ts'
import type { Environment } from '../../std/environment.ts'
import { EntireError } from '../../std/errors.ts'
import type { Clock } from '../../std/time.ts'
import { fromProvider } from '../conversation/message.ts'
import { type PigletConfig, writeSetting } from '../settings/config.ts'
import type { FindKey } from '../settings/keys.ts'
import {
  type AnswerPiece,
  type AnswerRequest,
  type ChatModel,
  costOf,
  findModel,
  ModelFailure,
  modelKey,
  wantedModel,
} from './model.ts'
import type { ModelList } from './model-list.ts'
import { openaiAnswer } from './openai.ts'

export interface ModelChoiceOptions {
  models: ModelList
  configDir: string
  env: Environment
  config(): PigletConfig
  /** Replaces the model of the settings. */
  first: string
  onSwitch(model: ChatModel): void
}

export class ModelChoice {
  readonly #options: ModelChoiceOptions
  #chosen: string

  constructor(options: ModelChoiceOptions) {
    this.#options = options
    this.#chosen = options.first
  }

  current(): ChatModel {
    return this.resolve(this.#chosen)
  }

  find(): ChatModel | undefined {
    try {
      return this.current()
    } catch {
      return undefined
    }
  }

  /** Finds a model for a purpose such as `small`, or by name. */
  resolve(query: string): ChatModel {
    const { models, env, config } = this.#options
    const wanted = wantedModel(query, env, config())
    if (wanted === '')
      throw new EntireError('not-found', 'no model configured', {
        hint: 'Set defaultModel in config.yaml, or PIGLET_DEFAULT_MODEL.',
      })
    const model = findModel(models.all(), wanted)
    // The protocol fixes these words, here and in `switchTo`.
    if (!model) throw new EntireError('not-found', `unknown model: ${wanted}`)
    return model
  }

  switchTo(modelId: string, isLasting: boolean): void {
    const { models, configDir, onSwitch } = this.#options
    if (modelId === '') throw new RpcFailure(rpcErrorCodes.failed, 'modelId is required')
    const model = models.all().find((known) => modelKey(known).toLowerCase() === modelId.toLowerCase())
    if (!model) throw new RpcFailure(rpcErrorCodes.failed, `unknown model: ${modelId}`)
    this.#chosen = modelKey(model)
    if (isLasting) writeSetting(configDir, 'defaultModel', this.#chosen)
    onSwitch(model)
  }
}

const pieceKinds: Record<string, AnswerPiece['kind']> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  toolcall_delta: 'toolcall',
}

/** The extension that provides an API is looked up for each request. */
export function createAnswerRequest(
  access: () => ExtensionAccess,
  options: { findKey: FindKey; fetch: typeof fetch; clock: Clock },
): AnswerRequest {
  const ownAnswer = openaiAnswer(options)
  return async (request, { signal, onPiece }) => {
    const { model, system, messages, tools, maxTokens } = request
    const { registry, running } = access()
    const owner = registry.provider(model.api)
    if (owner === undefined) {
      if (model.api === 'openai') return await ownAnswer(request, { signal, onPiece })
      throw new ModelFailure(
        `no provider for models of kind ${model.api}: an extension has to register for it`,
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
        const kind = pieceKinds[type]
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
