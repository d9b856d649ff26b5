// For authors of extensions, published as `entire-ts/extension-sdk`: say what the extension offers, and get a program that speaks the
// protocol.

export type { ActionResult, AssistantMessage, Model, ToolResultMessage, UserMessage } from '../protocol/extension-content.ts'
export type { EventName } from '../protocol/extension-events.ts'
export { RpcFailure as HostError } from '../protocol/extension-peer.ts'
export type { ToolErrorCode } from '../protocol/tool-error-codes.ts'
export { toolErrorCodes } from '../protocol/tool-error-codes.ts'
export { actions } from './extension/actions.ts'
export type { Args, ArgsSchema } from './extension/args.ts'
export type { Connection } from './extension/connection.ts'
export { createExtension, type Extension } from './extension/create-extension.ts'
export { defineExtension, defineTool } from './extension/define-extension.ts'
export type * from './extension/definition.ts'
export type { EventOf, EventPayload } from './extension/events.ts'
export type { Host, HostCallOptions } from './extension/host.ts'
export { isAssistant, isToolResult, isUser, type Message, textOf } from './extension/messages.ts'
export { type Piglet, piglet } from './extension/piglet.ts'
export { type Block, ToolError, type ToolOutput, type ToolResult } from './extension/tool-answer.ts'
