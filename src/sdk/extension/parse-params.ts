// What arrives and what is sent has the form the table gives it, or an error says where it has not.
import { type GenericSchema, type InferOutput, safeParse } from 'valibot'
import { codes } from '../../protocol/extension-line.ts'
import { RpcFailure } from '../../protocol/extension-peer.ts'

/** Throws with `about` in front of what is wrong. */
export function parseParams<Schema extends GenericSchema>(schema: Schema, params: unknown, about: string): InferOutput<Schema> {
  const parsed = safeParse(schema, params)
  if (parsed.success) return parsed.output
  const [{ path, message }] = parsed.issues
  throw new RpcFailure(codes.invalidParams, `${about}: ${path?.map(({ key }) => String(key)).join('.') ?? 'params'}: ${message}`)
}
