// Tools say what went wrong so that models, and programs that watch them, can tell the cases apart.

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
        const said = await run(readArguments(args), call)
        const { text, details } = typeof said === 'string' ? { text: said } : said
        return {
          content: [{ type: 'text', text }],
          isError: false,
          ...given({ details }),
        }
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
    /** Must be there. */
    text(name: string): string {
      if (typeof args[name] !== 'string') throw wrong(name, 'a text')
      return args[name]
    },
    textOr: (name: string, otherwise: string) =>
      some(name, 'a text', (value) => typeof value === 'string', otherwise),
    flag: (name: string) => some(name, 'true or false', (value) => typeof value === 'boolean', false),
    /** Whole and positive. Models write numbers as texts, too. */
    count(name: string, otherwise: number): number {
      const value = Number(args[name] ?? otherwise)
      if (!Number.isSafeInteger(value) || value < 1) throw wrong(name, 'a positive whole number')
      return value
    },
  }
}
