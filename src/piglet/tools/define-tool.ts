// Defines tools of piglet: reads their arguments, and turns what they throw into errors with a code that
// models and programs can tell apart.

import type { LocalTool, ToolCall, ToolOutcome } from '../../extensions/registry.ts'
import type { ToolErrorCode } from '../../protocol/extension/content.ts'
import { isErrno, messageOf } from '../../std/errors.ts'
import { given } from '../../std/given.ts'

export class ToolFailure extends Error {
  constructor(
    readonly errorCode: ToolErrorCode,
    message: string,
    readonly hint = '',
  ) {
    super(message)
  }
}

export interface LocalToolDefinition extends Omit<LocalTool, 'execute'> {
  run(args: ToolArguments, call: ToolCall): Promise<string | { text: string; details?: unknown }>
}

export type ToolArguments = ReturnType<typeof readArguments>

export function defineLocalTool({ run, ...tool }: LocalToolDefinition): LocalTool {
  return {
    ...tool,
    async execute(args, call): Promise<ToolOutcome> {
      try {
        const result = await run(readArguments(args), call)
        const { text, details } = typeof result === 'string' ? { text: result } : result
        return { content: [{ type: 'text', text }], isError: false, ...given({ details }) }
      } catch (error) {
        const { errorCode, message, hint } = call.signal.aborted ? interrupted(call.signal) : asFailure(error)
        return { content: [{ type: 'text', text: message }], isError: true, errorCode, errorHint: hint }
      }
    },
  }
}

const errnoCodes: [ToolErrorCode, ...string[]][] = [
  ['FILE_NOT_FOUND', 'ENOENT', 'ENOTDIR'],
  ['PERMISSION_DENIED', 'EACCES', 'EPERM', 'EROFS'],
  ['NOT_REGULAR_FILE', 'EISDIR'],
]

function interrupted(signal: AbortSignal): ToolFailure {
  return new ToolFailure('TOOL_INTERRUPTED', messageOf(signal.reason))
}

function asFailure(error: unknown): ToolFailure {
  if (error instanceof ToolFailure) return error
  const [code = 'IO_ERROR'] = errnoCodes.find(([, ...names]) => isErrno(error, ...names)) ?? []
  return new ToolFailure(error instanceof Error && 'code' in error ? code : 'INTERNAL', messageOf(error))
}

function readArguments(args: Record<string, unknown>) {
  const wrong = (name: string, what: string) => new ToolFailure('INVALID_ARGS', `${name} must be ${what}`)
  const some = <Value>(
    name: string,
    what: string,
    fits: (value: unknown) => value is Value,
    otherwise: Value,
  ): Value => {
    const value = args[name] ?? otherwise
    if (!fits(value)) throw wrong(name, what)
    return value
  }
  return {
    /** A required argument. */
    text(name: string): string {
      if (typeof args[name] !== 'string') throw wrong(name, 'a string')
      return args[name]
    },
    textOr: (name: string, otherwise: string) =>
      some(name, 'a string', (value) => typeof value === 'string', otherwise),
    flag: (name: string) => some(name, 'true or false', (value) => typeof value === 'boolean', false),
    /** A positive integer. Models also write numbers as strings. */
    count(name: string, otherwise: number): number {
      const value = Number(args[name] ?? otherwise)
      if (!Number.isSafeInteger(value) || value < 1) throw wrong(name, 'a positive whole number')
      return value
    },
  }
}
