// For programs that have extensions, published as `entire-ts/extension-host`: find them, run them, and use what they offer.

export { type Action, parseAction } from '../extensions/action.ts'
export type { ExtensionApp } from '../extensions/app.ts'
export { type Discovered, discoverExtensions, type Places } from '../extensions/discover.ts'
export {
  createExtensionHost,
  type ExtensionHost,
  type ExtensionHostOptions,
} from '../extensions/extension-host.ts'
export type {
  Caller,
  HostSide,
  LiveExtension,
  LocalCommand,
  LocalOffer,
  LocalTool,
  ToolOutcome,
} from '../extensions/live-extension.ts'
export type { Manifest } from '../extensions/manifest.ts'
export {
  collectInjections,
  type Delta,
  type StreamRequest,
  streamAnswer,
  transformInput,
} from '../extensions/prompt-chain.ts'
export { readManifest } from '../extensions/read-manifest.ts'
export { type StartOptions, startExtension } from '../extensions/start-extension.ts'
export { callTool } from '../extensions/tool-calls.ts'
export { createHeadless, type Headless } from '../piglet/headless.ts'
export type { HeadlessOptions } from '../piglet/options.ts'
export type {
  AssistantMessage,
  CompactMessage,
  ContentBlock,
  Model,
  ToolResultMessage,
  UserMessage,
} from '../protocol/extension/content.ts'
export type { EventData, EventName } from '../protocol/extension/events.ts'
export { RpcFailure } from '../protocol/extension/peer.ts'
export type { Result, SentParams, SentResult } from '../protocol/extension/table.ts'
