// How many requests of one extension are worked on at once. What we answer by ourselves makes it wait: nothing more of it is read.
// What may need the extension itself, like a tool of its own, must not: each would wait for the other. Too many of those are refused.
import { findMethod } from '../protocol/extension.ts'
import { codes } from '../protocol/extension-line.ts'
import { deadlines } from '../protocol/extension-method.ts'
import { type PeerOptions, RpcFailure } from '../protocol/extension-peer.ts'
import type { Transport } from './transport.ts'

const maxQuick = 64
const maxLong = 256

export function limitServing(transport: Pick<Transport, 'pause' | 'resume'>, serve: PeerOptions['serve']): PeerOptions['serve'] {
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
    if (long >= maxLong) throw new RpcFailure(codes.failed, `${request[0]}: ${maxLong} such requests are under way already`)
    long += 1
    try {
      return await serve(...request)
    } finally {
      long -= 1
    }
  }

  return (method, params, signal) => {
    const deadlineMs = findMethod(method)?.deadlineMs ?? 0
    return deadlineMs > deadlines.quick ? serveLong(method, params, signal) : serveQuick(method, params, signal)
  }
}
