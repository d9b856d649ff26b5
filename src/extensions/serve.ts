// A request of an extension: known, well-formed, allowed, in time. What is not gets an error that says which of these it was.

import { safeParse } from 'valibot'
import { deadlines } from '../protocol/extension/method.ts'
import { codes, type PeerOptions, RpcFailure } from '../protocol/extension/peer.ts'
import { findMethod, type HostNotice, type HostRequest, isRegistration } from '../protocol/extension/table.ts'
import type { HostSide, LiveExtension } from './live-extension.ts'
import type { Manifest } from './manifest.ts'
import { type Approve, findDenial, findRefusal } from './permissions.ts'
import type { Transport } from './transport.ts'

export interface Serving {
  manifest: Manifest
  side: HostSide
  approve: Approve
  live(): LiveExtension
}

/** One method has always answered with another code. */
const invalidCode: Record<string, number> = { 'host/setConversationMessages': codes.invalidRequest }

export async function serveRequest(
  serving: Serving,
  name: string,
  params: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const method = findMethod(name)
  if (method?.result === undefined || method.to === 'extension')
    throw new RpcFailure(codes.unknownMethod, `method not found: ${name}`)
  const parsed = parseMethodParams(name, params)
  if ('problem' in parsed)
    throw new RpcFailure(invalidCode[name] ?? codes.invalidParams, `invalid params: ${parsed.problem}`)
  const refusal =
    findRefusal(serving.manifest, name, method, parsed.value) ??
    // People have all the time they need; the deadline is for us.
    (await Promise.race([
      findDenial(serving.manifest, name, method, parsed.value, serving.approve),
      untilAborted(signal, name, method.deadlineMs),
    ]))
  if (refusal !== undefined) throw new RpcFailure(codes.failed, refusal)
  const deadline = AbortSignal.timeout(method.deadlineMs ?? 30_000)
  const caller = {
    extension: serving.manifest,
    live: serving.live(),
    signal: AbortSignal.any([signal, deadline]),
  }
  const handler = serving.side.requests[name as HostRequest] as (
    params: unknown,
    by: typeof caller,
  ) => unknown
  return await Promise.race([
    handler(parsed.value, caller),
    untilAborted(caller.signal, name, method.deadlineMs),
  ])
}

/** Notices have no answer: what is wrong with one comes back as a sentence for the log. */
export function serveNotice(
  serving: Serving,
  name: string,
  params: unknown,
  signal: AbortSignal,
): string | undefined {
  const method = findMethod(name)
  if (!method || method.result !== undefined || method.to === 'extension' || isRegistration(name))
    return undefined
  const parsed = parseMethodParams(name, params)
  if ('problem' in parsed) return `${name}: ${parsed.problem}`
  const refusal = findRefusal(serving.manifest, name, method, parsed.value)
  if (refusal !== undefined) return refusal
  try {
    const handler = serving.side.notices[name as keyof HostSide['notices'] & HostNotice] as (
      params: unknown,
      by: object,
    ) => void
    handler(parsed.value, { extension: serving.manifest, live: serving.live(), signal })
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return undefined
}

/** Null stands for params in which everything is left out. */
export function parseMethodParams(name: string, params: unknown): { value: unknown } | { problem: string } {
  const method = findMethod(name)
  if (!method) return { problem: `unknown method ${name}` }
  const result = safeParse(method.params, params === null ? {} : params)
  if (result.success) return { value: result.output }
  const [issue] = result.issues
  const path = issue.path?.map(({ key }) => String(key)).join('.')
  return { problem: `${path === undefined ? 'params' : path}: ${issue.message}` }
}

function untilAborted(signal: AbortSignal, name: string, deadlineMs: number | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = () =>
      reject(
        signal.reason instanceof RpcFailure
          ? signal.reason
          : new RpcFailure(codes.failed, `${name}: no answer within ${deadlineMs} ms`),
      )
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}

// How many requests of one extension are worked on at once. What we answer by ourselves makes it wait: nothing more of it is read.
// What may need the extension itself, like a tool of its own, must not: each would wait for the other. Too many of those are refused.

const maxQuick = 64
const maxLong = 256

export function limitServing(
  transport: Pick<Transport, 'pause' | 'resume'>,
  serve: PeerOptions['serve'],
): PeerOptions['serve'] {
  let [quick, long] = [0, 0]

  async function serveQuick(...request: Parameters<PeerOptions['serve']>): Promise<unknown> {
    quick += 1
    if (quick > maxQuick) transport.pause()
    try {
      return await serve(...request)
    } finally {
      quick -= 1
      if (quick <= maxQuick) transport.resume()
    }
  }

  async function serveLong(...request: Parameters<PeerOptions['serve']>): Promise<unknown> {
    if (long >= maxLong)
      throw new RpcFailure(codes.failed, `${request[0]}: ${maxLong} such requests are under way already`)
    long += 1
    try {
      return await serve(...request)
    } finally {
      long -= 1
    }
  }

  return (method, params, signal) => {
    const deadlineMs = findMethod(method)?.deadlineMs ?? 0
    return deadlineMs > deadlines.quick
      ? serveLong(method, params, signal)
      : serveQuick(method, params, signal)
  }
}
