// Collects what an extension registers while it starts. Each registration is checked by itself, so that a bad
// one does not spoil the others.

import { registrations as registrationMethods } from '../protocol/extension/offers.ts'
import type { Registration } from '../protocol/extension/table.ts'
import type { Registrations } from './live-extension.ts'
import { type Manifest, manifestName } from './manifest.ts'
import { findRefusal } from './permissions.ts'
import { parseMethodParams } from './serve.ts'

export function noRegistrations(): Registrations {
  return Object.fromEntries(
    Object.keys(registrationMethods).map((name) => [name, []]),
  ) as unknown as Registrations
}

/** Adds a registration, or returns the reason why it is ignored. */
export function register(
  list: Registrations,
  manifest: Manifest,
  name: Registration,
  params: unknown,
): string | undefined {
  const parsed = parseMethodParams(name, params)
  if ('problem' in parsed) return `${manifest.dir}: ${name} ignored: ${parsed.problem}`
  const refusal = findRefusal(manifest, name, registrationMethods[name], parsed.value)
  if (refusal !== undefined) return `${manifest.dir}/${manifestName}: ${refusal}`
  ;(list[name] as unknown[]).push(parsed.value)
  return undefined
}
