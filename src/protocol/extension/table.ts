// Lists every method of the extension protocol, version 5, once. The host, the kit for authors, the
// conformance check, the schemas and the reference are made from this table.
import type { InferInput, InferOutput } from 'valibot'
import { callbacks, lifecycle } from './callbacks.ts'
import { hostServices } from './host-services.ts'
import { sessionServices } from './host-session.ts'
import type { Method, Receiver } from './method.ts'
import { notices, registrations } from './offers.ts'

export const extensionProtocolVersion = '5'

/** The longest line that either side may write: readers in other programs fail for good beyond this size. */
export const maxLineBytes = 4 * 1024 * 1024

export const methods = {
  ...lifecycle,
  ...registrations,
  ...callbacks,
  ...notices,
  ...hostServices,
  ...sessionServices,
} as const

export type Methods = typeof methods
export type MethodName = keyof Methods

type Received<By extends Receiver> = {
  [M in MethodName]: Methods[M]['to'] extends By | 'both' ? M : never
}[MethodName]
type Asked<Name extends MethodName> = {
  [M in Name]: Methods[M] extends { result: unknown } ? M : never
}[Name]

/** Requests and notices, by who receives them. */
export type HostRequest = Asked<Received<'host'>>
export type HostNotice = Exclude<Received<'host'>, HostRequest>
export type ExtensionRequest = Asked<Received<'extension'>>
export type ExtensionNotice = Exclude<Received<'extension'>, ExtensionRequest>
export type Registration = keyof typeof registrations

/** What the receiver gets, with defaults for missing fields. */
export type Params<M extends MethodName> = InferOutput<Methods[M]['params']>
/** What the sender writes. */
export type SentParams<M extends MethodName> = InferInput<Methods[M]['params']>
export type MethodResult<M extends HostRequest | ExtensionRequest> = InferOutput<Methods[M]['result']>
export type SentResult<M extends HostRequest | ExtensionRequest> = InferInput<Methods[M]['result']>

export function findMethod(name: string): Method | undefined {
  return Object.hasOwn(methods, name) ? methods[name as MethodName] : undefined
}

export function isRegistration(name: string): name is Registration {
  return Object.hasOwn(registrations, name)
}
