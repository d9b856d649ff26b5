// Types and checks the arguments of a tool by its schema, and forms its answer.

import { type GenericSchema, type InferOutput, safeParse } from 'valibot'
import type { ToolErrorCode } from '../../protocol/extension/content.ts'
import { RpcFailure, rpcErrorCodes } from '../../protocol/extension/rpc.ts'
import type { SentResult } from '../../protocol/extension/table.ts'
import { given } from '../../std/given.ts'
import { asArray, asObject, asStrings } from '../../std/json.ts'

export interface ArgsSchema {
  readonly type?: string | readonly string[]
  readonly properties?: { readonly [name: string]: ArgsSchema }
  readonly required?: readonly string[]
  readonly items?: ArgsSchema
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly [keyword: string]: unknown
}

type Value<S> = S extends { enum: readonly (infer Choice)[] }
  ? Choice
  : S extends { type: 'string' }
    ? string
    : S extends { type: 'number' | 'integer' }
      ? number
      : S extends { type: 'boolean' }
        ? boolean
        : S extends { type: 'array' }
          ? (S extends { items: infer Item } ? Value<Item> : unknown)[]
          : S extends { type: 'object' }
            ? S extends { properties: infer Properties }
              ? Fields<Properties, S extends { required: readonly (infer Name)[] } ? Name : never>
              : Record<string, unknown>
            : unknown

type Fields<Properties, Needed> = {
  [Name in keyof Properties as Name extends Needed ? Name : never]: Value<Properties[Name]>
} & {
  [Name in keyof Properties as Name extends Needed ? never : Name]?: Value<Properties[Name]>
}

/** The type of a tool's arguments, inferred from its schema. */
export type Args<S> = unknown extends Value<S> ? Record<string, unknown> : Value<S>

const kinds: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: (value) => asObject(value) !== undefined,
}

/** Why a value does not have the type above. Other keywords of the schema are left to the author. */
export function findArgsProblem(schema: ArgsSchema, value: unknown, path = 'arguments'): string | undefined {
  if (asObject(schema) === undefined) return undefined
  const types = schema.type === undefined ? [] : [schema.type].flat()
  if (types.length > 0 && !types.some((type) => (kinds[type] ?? (() => true))(value)))
    return `${path} must be ${types.join(' or ')}`
  if (schema.enum && typeof value !== 'object' && !schema.enum.includes(value))
    return `${path} must be one of ${schema.enum.map((one) => JSON.stringify(one)).join(', ')}`
  return problemInFields(schema, asObject(value) ?? {}, path) ?? problemInItems(schema, asArray(value), path)
}

function problemInFields(
  { properties, required }: ArgsSchema,
  value: Record<string, unknown>,
  path: string,
): string | undefined {
  const missing = asStrings(required).find((name) => value[name] === undefined)
  if (missing !== undefined) return `${path}.${missing} is missing`
  for (const [name, schema] of Object.entries(properties ?? {})) {
    const problem =
      value[name] === undefined ? undefined : findArgsProblem(schema, value[name], `${path}.${name}`)
    if (problem !== undefined) return problem
  }
  return undefined
}

function problemInItems({ items }: ArgsSchema, value: unknown[], path: string): string | undefined {
  if (!items) return undefined
  return value
    .map((item, at) => findArgsProblem(items, item, `${path}[${at}]`))
    .find((problem) => problem !== undefined)
}

export type Block = { type: 'text'; text: string } | { type: 'image'; data: string; mime: string }

export interface ToolResult {
  content: Block[]
  isError?: boolean
  errorCode?: string
  errorHint?: string
}

/** A text alone is enough. */
export type ToolOutput = string | { text: string; isError?: boolean } | ToolResult | ToolError | undefined

/** A failure that the model can act on, thrown or returned. The hint says how. */
export class ToolError extends Error {
  constructor(
    readonly code: ToolErrorCode | (string & {}),
    message: string,
    readonly hint = '',
  ) {
    super(message)
    this.name = 'ToolError'
  }
}

export function toAnswer(output: ToolOutput): SentResult<'tool/execute'> {
  if (output === undefined) return { content: [] }
  if (output instanceof ToolError) return errorAnswer(output)
  if (typeof output === 'string') return { content: [text(output)] }
  if ('content' in output) return { ...output }
  return { content: [text(output.text)], ...given({ isError: output.isError ? true : undefined }) }
}

export function errorAnswer({ code, message, hint }: ToolError): SentResult<'tool/execute'> {
  return {
    content: [text(message)],
    isError: true,
    errorCode: code,
    ...given({ errorHint: hint === '' ? undefined : hint }),
  }
}

function text(value: string): Block {
  return { type: 'text', text: value }
}

/** Throws an RpcFailure that names the field; its message begins with `about`. */
export function parseOrRefuse<Schema extends GenericSchema>(
  schema: Schema,
  params: unknown,
  about: string,
): InferOutput<Schema> {
  const parsed = safeParse(schema, params)
  if (parsed.success) return parsed.output
  const [{ path, message }] = parsed.issues
  throw new RpcFailure(
    rpcErrorCodes.invalidParams,
    `${about}: ${path?.map(({ key }) => String(key)).join('.') ?? 'params'}: ${message}`,
  )
}
