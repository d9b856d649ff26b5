// What a tool may answer with, and how that is said to the host.
import type { SentResult } from '../../protocol/extension.ts'
import type { ToolErrorCode } from '../../protocol/tool-error-codes.ts'

export type Block = { type: 'text'; text: string } | { type: 'image'; data: string; mime: string }

export interface ToolResult {
  content: Block[]
  isError?: boolean
  errorCode?: string
  errorHint?: string
}

/** A text alone is enough. */
export type ToolOutput = string | { text: string; isError?: boolean } | ToolResult | ToolError | undefined

/** A failure that the model can do something about: thrown or returned. The hint says what. */
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
  return { content: [text(output.text)], ...(output.isError ? { isError: true } : {}) }
}

export function errorAnswer({ code, message, hint }: ToolError): SentResult<'tool/execute'> {
  return { content: [text(message)], isError: true, errorCode: code, ...(hint === '' ? {} : { errorHint: hint }) }
}

function text(value: string): Block {
  return { type: 'text', text: value }
}
