// The kit for programs with extensions, published as `entire-ts/extension-host`: finds extensions, runs them,
// and calls what they offer.

export { type ExtensionAction as Action, parseAction } from '../extensions/action.ts'
export {
  type Discovered,
  discoverExtensions,
  type ExtensionPlaces as Places,
} from '../extensions/discover.ts'
export {
  createExtensionHost,
  type ExtensionHost,
  type ExtensionHostOptions,
} from '../extensions/extension-host.ts'
export type { ExtensionApp } from '../extensions/host-side.ts'
export type {
  CallingExtension as Caller,
  Delta,
  HostSide,
  LiveExtension,
} from '../extensions/live-extension.ts'
export { type Manifest, readManifest } from '../extensions/manifest.ts'
export {
  collectInjections,
  type StreamRequest,
  streamAnswer,
  transformInput,
} from '../extensions/prompt-chain.ts'
export type { LocalCommand, LocalOffer, LocalTool, ToolOutcome } from '../extensions/registry.ts'
export { type StartOptions, startExtension } from '../extensions/start-extension.ts'
export { callTool } from '../extensions/tool-calls.ts'
export type { PigletOptions as HeadlessOptions } from '../piglet/options.ts'
export { openPiglet as createHeadless, type Piglet as Headless } from '../piglet/piglet.ts'
export type {
  AssistantMessage,
  CompactMessage,
  ContentBlock,
  Model,
  ToolResultMessage,
  UserMessage,
} from '../protocol/extension/content.ts'
export type { EventData, EventName } from '../protocol/extension/events.ts'
export { RpcFailure } from '../protocol/extension/rpc.ts'
export type { MethodResult as Result, SentParams, SentResult } from '../protocol/extension/table.ts'
