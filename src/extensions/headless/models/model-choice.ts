// The model that is being used, and how another one takes its place.
import { codes } from '../../../protocol/extension-line.ts'
import { RpcFailure } from '../../../protocol/extension-peer.ts'
import { EntireError } from '../../../std/errors.ts'
import type { Environment } from '../../environment.ts'
import { type Config, writeSetting } from '../settings/config.ts'
import { findModel, wantedModel } from './find-model.ts'
import { keyOf, type Model } from './model.ts'
import type { ModelList } from './model-list.ts'

export interface ModelChoiceOptions {
  models: ModelList
  configDir: string
  env: Environment
  config(): Config
  /** Instead of what the settings say. */
  first: string
  onSwitch(model: Model): void
}

export type ModelChoice = ReturnType<typeof createModelChoice>

export function createModelChoice({ models, configDir, env, config, first, onSwitch }: ModelChoiceOptions) {
  let chosen = first

  /** For a purpose like `small`, or by name. */
  function resolve(query: string): Model {
    const wanted = wantedModel(query, env, config())
    if (wanted === '')
      throw new EntireError('not-found', 'no model configured', { hint: 'Set defaultModel in config.yaml, or PIGLET_DEFAULT_MODEL.' })
    const model = findModel(models.all(), wanted)
    if (!model) throw new EntireError('not-found', `unknown model: ${wanted}`)
    return model
  }

  return {
    resolve,
    current: () => resolve(chosen),
    find(): Model | undefined {
      try {
        return resolve(chosen)
      } catch {
        return undefined
      }
    },
    switchTo(modelId: string, isLasting: boolean): void {
      if (modelId === '') throw new RpcFailure(codes.failed, 'modelId is required')
      const model = models.all().find((one) => keyOf(one).toLowerCase() === modelId.toLowerCase())
      if (!model) throw new RpcFailure(codes.failed, `unknown model: ${modelId}`)
      chosen = keyOf(model)
      if (isLasting) writeSetting(configDir, 'defaultModel', chosen)
      onSwitch(model)
    },
  }
}
