// Reads and writes the JSON-RPC messages of the extension protocol, one on each line, and their errors.

import { asObject, asString, type Json, type JsonObject, parseJson } from '../../std/json.ts'

export const rpcErrorCodes = {
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  failed: -32603,
  notFound: -32604,
} as const

export interface RpcError {
  code: number
  message: string
}

/** An error that came over the wire, or is to be sent. */
export class RpcFailure extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

/** The error as it is sent in an answer. */
export function asRpcError(error: unknown): RpcError {
  if (error instanceof RpcFailure) return { code: error.code, message: error.message }
  return { code: rpcErrorCodes.failed, message: error instanceof Error ? error.message : String(error) }
}

export type Incoming =
  | { kind: 'request'; id: number; method: string; params: Json | undefined }
  | { kind: 'notice'; method: string; params: Json | undefined }
  | { kind: 'answer'; id: number; result: Json | undefined; error: RpcError | undefined }

/**
 * Undefined for a line that is not a message. An answer has an id, a request also a method; a notice has no
 * id.
 */
export function parseLine(line: string): Incoming | undefined {
  const message = asObject(parseJson(line))
  if (message === undefined) return undefined
  const { id = null, params } = message
  const method = asString(message.method) ?? ''
  if (id === null) return method === '' ? undefined : { kind: 'notice', method, params }
  if (!Number.isSafeInteger(id)) return undefined
  const number = id as number
  if (method !== '') return { kind: 'request', id: number, method, params }
  return { kind: 'answer', id: number, result: message.result, error: asError(message.error) }
}

function asError(value: Json | undefined): RpcError | undefined {
  const error = asObject(value)
  if (error === undefined) return undefined
  return {
    code: typeof error.code === 'number' ? error.code : rpcErrorCodes.failed,
    message: asString(error.message) ?? 'unknown error',
  }
}

export function requestLine(id: number, method: string, params: unknown): string {
  return line({ id, method, params })
}

export function noticeLine(method: string, params: unknown): string {
  return line({ method, params })
}

export function resultLine(id: number, result: unknown): string {
  return line({ id, result: result === undefined ? {} : result })
}

export function errorLine(id: number, error: RpcError): string {
  return line({ id, error })
}

function line(message: { [Key in keyof JsonObject]: unknown }): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
}
