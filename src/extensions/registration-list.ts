// What an extension registers while it is being started: each one is looked at by itself, and a bad one does not spoil the others.
import type { Registration } from '../protocol/extension.ts'
import { registrations as methods } from '../protocol/extension-registrations.ts'
import type { Registrations } from './live-extension.ts'
import type { Manifest } from './manifest.ts'
import { findRefusal } from './permissions.ts'
import { manifestName } from './read-manifest.ts'
import { parseParams } from './serve-request.ts'

export function noRegistrations(): Registrations {
  return Object.fromEntries(Object.keys(methods).map((name) => [name, []])) as unknown as Registrations
}

/** Adds it, or says why not. */
export function register(list: Registrations, manifest: Manifest, name: Registration, params: unknown): string | undefined {
  const parsed = parseParams(name, params)
  if ('problem' in parsed) return `${manifest.dir}: ${name} ignored: ${parsed.problem}`
  const refusal = findRefusal(manifest, name, methods[name], parsed.value)
  if (refusal !== undefined) return `${manifest.dir}/${manifestName}: ${refusal}`
  ;(list[name] as unknown[]).push(parsed.value)
  return undefined
}
