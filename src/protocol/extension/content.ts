// Declares the parts of a conversation as they are in protocol messages and session files. A kind is
// recognised by its fields; keys that name the kind are written in addition and never needed.
import * as v from 'valibot'
import { anything, fields, flag, integer, list, quantity, shape, some, text } from './fields.ts'

const lowerBlock = shape({ type: some.text, text: some.text, data: some.text, mime: some.text })

// The kit for Go writes its own field names.
const capitalBlock = v.pipe(
  shape({ Type: v.string(), Text: some.text, Data: some.text, Mime: some.text }),
  v.transform(({ Type, Text, Data, Mime }) => ({ type: Type, text: Text, data: Data, mime: Mime })),
)

/** A piece of the output of a tool: text, or an image in base64. */
export const contentBlock = v.union([capitalBlock, lowerBlock])

export const toolAnswer = shape({
  content: list(contentBlock),
  isError: flag,
  errorCode: text,
  errorHint: text,
})

const filled = v.pipe(v.string(), v.nonEmpty())

// Recognised as in the reference program: a part with an id or a name is a call, one with a MIME type is an
// image, and the rest is text.
const textPart = shape({ text })
const imagePart = shape({ data: text, mimeType: filled })
const thinkingPart = shape({ thinking: filled })
const callPart = v.union([
  shape({ id: filled, name: text, arguments: fields, providerMeta: some.fields }),
  shape({ id: text, name: filled, arguments: fields, providerMeta: some.fields }),
])

export const usage = shape({
  inputTokens: quantity,
  outputTokens: quantity,
  cacheReadTokens: quantity,
  cacheWriteTokens: quantity,
  cost: quantity,
})

export const userMessage = shape({
  content: text,
  blocks: list(v.union([imagePart, textPart])),
  timestamp: text,
})

export const assistantMessage = shape({
  content: list(v.union([callPart, thinkingPart, textPart])),
  model: text,
  provider: text,
  usage: v.nullish(usage, {}),
  stopReason: text,
  error: some.text,
  timestamp: text,
})

export const toolResultMessage = shape({
  toolCallId: v.string(),
  toolName: text,
  content: list(v.union([imagePart, textPart])),
  isError: flag,
  timestamp: text,
})

/**
 * A tool result has the id of its call; an assistant message names its model or provider; the rest is from
 * the user.
 */
export const conversationMessage = v.union([
  toolResultMessage,
  v.pipe(
    assistantMessage,
    v.check((message) => Boolean(message.model || message.provider), 'has neither model nor provider'),
  ),
  userMessage,
])

export const compactMessage = shape({ type: text, data: anything })

export const model = shape({
  id: v.string(),
  name: text,
  api: text,
  provider: text,
  baseUrl: some.text,
  reasoning: flag,
  contextWindow: integer,
  maxTokens: integer,
  cost: v.nullish(
    shape({ input: quantity, output: quantity, cacheRead: quantity, cacheWrite: quantity }),
    {},
  ),
  headers: v.nullish(v.record(v.string(), v.string())),
})

export const toolDefinition = shape({
  name: v.string(),
  description: text,
  parameters: v.optional(v.unknown()),
})

/** What an extension asks the host to do in its answer to an event or a key. */
export const action = shape({ type: v.string(), payload: v.optional(v.unknown()) })

export type ContentBlock = v.InferOutput<typeof lowerBlock>
export type Usage = v.InferOutput<typeof usage>
export type UserMessage = v.InferOutput<typeof userMessage>
export type AssistantMessage = v.InferOutput<typeof assistantMessage>
export type ToolResultMessage = v.InferOutput<typeof toolResultMessage>
export type CompactMessage = v.InferOutput<typeof compactMessage>
export type Model = v.InferOutput<typeof model>
export type ActionResult = v.InferOutput<typeof action>

/** Codes of tool errors, for programs and models. */
export const toolErrorCodes = [
  'INVALID_ARGS',
  'FILE_NOT_FOUND',
  'FILE_STALE',
  'FILE_TOO_LARGE',
  'NOT_REGULAR_FILE',
  'PERMISSION_DENIED',
  'NOT_UNIQUE',
  'TIMEOUT',
  'EXIT_NONZERO',
  'IO_ERROR',
  'INTERNAL',
] as const

export type ToolErrorCode = (typeof toolErrorCodes)[number] | HostErrorCode

/** Codes that only a host uses. */
export type HostErrorCode = 'TOOL_INTERRUPTED' | 'TOOL_DISABLED'
