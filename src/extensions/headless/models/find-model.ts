// Which model somebody means who gives part of its name.
import type { Environment } from '../../environment.ts'
import type { Config } from '../settings/config.ts'
import { keyOf, type Model } from './model.ts'

/** The whole name, then its id, then the shortest that begins with it, then the shortest that has it somewhere. */
export function findModel(models: Model[], query: string): Model | undefined {
  const wanted = query.toLowerCase()
  if (wanted === '') return undefined
  const id = (model: Model) => model.id.toLowerCase()
  const shortest = (fits: (model: Model) => boolean) => models.filter(fits).sort((a, b) => a.id.length - b.id.length)[0]
  return (
    models.find((model) => keyOf(model).toLowerCase() === wanted) ??
    models.find((model) => id(model) === wanted) ??
    shortest((model) => id(model).startsWith(wanted)) ??
    shortest((model) => id(model).includes(wanted) || model.name.toLowerCase().includes(wanted))
  )
}

/** What the user settled on for this purpose; empty when nothing. */
export function wantedModel(purpose: string, env: Environment, config: Config): string {
  const usual = env.PIGLET_DEFAULT_MODEL || config.text('defaultModel')
  if (purpose === '' || purpose === 'default') return usual
  return purpose === 'small' ? env.PIGLET_SMALL_MODEL || config.text('smallModel') || usual : purpose
}
