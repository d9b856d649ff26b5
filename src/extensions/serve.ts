// Serves the requests and notices of an extension: each must name a known method, have valid params and be
// permitted, and a request is answered before its deadline. Otherwise the error says which of these failed.

import { safeParse } from 'valibot'
import { deadlines } from '../protocol/extension/method.ts'
import type { PeerOptions } from '../protocol/extension/peer.ts'
import { RpcFailure, rpcErrorCodes } from '../protocol/extension/rpc.ts'
import { findMethod, type HostNotice, type HostRequest, isRegistration } from '../protocol/extension/table.ts'
import { messageOf } from '../std/errors.ts'
import type { CallingExtension, HostSide, LiveExtension } from './live-extension.ts'
import { type Approve, findDenial, findRefusal } from './permissions.ts'
import type { Transport } from './transport.ts'

export interface Serving {
  side: HostSide
  approve: Approve
  /** The extension that is served. */
  live: LiveExtension
}

/** This method answers invalid params with another code in the reference program. */
const invalidParamsCode: Record<string, number> = {
  'host/setConversationMessages': rpcErrorCodes.invalidRequest,
}

/** For a method that names no deadline of its own. */
const defaultDeadlineMs = 30_000

export async function serveRequest(
  { side, approve, live }: Serving,
  name: string,
  params: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const method = findMethod(name)
  if (method?.result === undefined || method.to === 'extension')
    throw new RpcFailure(rpcErrorCodes.unknownMethod, `method not found: ${name}`)
  const parsed = parseMethodParams(name, params)
  if ('problem' in parsed)
    throw new RpcFailure(
      invalidParamsCode[name] ?? rpcErrorCodes.invalidParams,
      `invalid params: ${parsed.problem}`,
    )
  const { manifest } = live
  const deadlineMs = method.deadlineMs ?? defaultDeadlineMs
  const refusal =
    findRefusal(manifest, name, method, parsed.value) ??
    // The deadline does not count while the user decides.
    (await Promise.race([
      findDenial({ manifest, name, method, params: parsed.value }, approve),
      untilAborted(signal, name, deadlineMs),
    ]))
  if (refusal !== undefined) throw new RpcFailure(rpcErrorCodes.failed, refusal)
  const deadline = AbortSignal.timeout(deadlineMs)
  const caller = { extension: manifest, live, signal: AbortSignal.any([signal, deadline]) }
  const handler = side.requests[name as HostRequest] as (params: unknown, by: CallingExtension) => unknown
  return await Promise.race([handler(parsed.value, caller), untilAborted(caller.signal, name, deadlineMs)])
}

/** A notice has no answer: what is wrong with it is returned, for the log. */
export function serveNotice(
  { side, live }: Serving,
  name: string,
  params: unknown,
  signal: AbortSignal,
): string | undefined {
  const method = findMethod(name)
  if (!method || method.result !== undefined || method.to === 'extension' || isRegistration(name))
    return undefined
  const parsed = parseMethodParams(name, params)
  if ('problem' in parsed) return `${name}: ${parsed.problem}`
  const { manifest } = live
  const refusal = findRefusal(manifest, name, method, parsed.value)
  if (refusal !== undefined) return refusal
  try {
    const handler = side.notices[name as keyof HostSide['notices'] & HostNotice] as (
      params: unknown,
      by: CallingExtension,
    ) => void
    handler(parsed.value, { extension: manifest, live, signal })
  } catch (error) {
    return messageOf(error)
  }
  return undefined
}

/** Null stands for params without any field. */
export function parseMethodParams(name: string, params: unknown): { value: unknown } | { problem: string } {
  const method = findMethod(name)
  if (!method) return { problem: `unknown method ${name}` }
  const result = safeParse(method.params, params === null ? {} : params)
  if (result.success) return { value: result.output }
  const [issue] = result.issues
  const path = issue.path?.map(({ key }) => String(key)).join('.')
  return { problem: `${path === undefined ? 'params' : path}: ${issue.message}` }
}

function untilAborted(signal: AbortSignal, name: string, deadlineMs: number): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = () =>
      reject(
        signal.reason instanceof RpcFailure
          ? signal.reason
          : new RpcFailure(rpcErrorCodes.failed, `${name}: no answer within ${deadlineMs} ms`),
      )
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}

const maxQuick = 64
const maxLong = 256

/**
 * Limits how many requests of one extension are served at once. Too many quick ones pause the transport, so
 * that the extension waits. A long one may need the extension itself, for example a tool it offers; pausing
 * would then be a deadlock, so too many long ones are refused.
 */
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
      throw new RpcFailure(
        rpcErrorCodes.failed,
        `${request[0]}: ${maxLong} such requests are under way already`,
      )
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
