// Defines an extension and runs it as a process: the kit for authors of extensions,
// `entire-ts/extension-sdk`.

export type {
  ActionResult,
  AssistantMessage,
  Model,
  ToolErrorCode,
  ToolResultMessage,
  UserMessage,
} from '../protocol/extension/content.ts'
export { toolErrorCodes } from '../protocol/extension/content.ts'
export type { EventName } from '../protocol/extension/events.ts'
export { RpcFailure as HostError } from '../protocol/extension/rpc.ts'
export { actions } from './extension/actions.ts'
export type { Args, ArgsSchema } from './extension/args.ts'
export { type Block, ToolError, type ToolOutput, type ToolResult } from './extension/args.ts'
export type { Connection } from './extension/connection.ts'
export { createExtension, defineExtension, defineTool, type Extension } from './extension/create-extension.ts'
export type * from './extension/definition.ts'
export type { EventOf, EventPayload } from './extension/definition.ts'
export type { Host, HostCallOptions } from './extension/host.ts'
export { isAssistant, isToolResult, isUser, type Message, textOf } from './extension/messages.ts'
export { type OldKit as Piglet, piglet } from './extension/old-kit.ts'
