// For programs that have extensions, published as `entire-ts/extension-host`: find them, run them, and use what they offer.
export type { Result, SentParams, SentResult } from '../protocol/extension.ts'
export type {
  AssistantMessage,
  CompactMessage,
  ContentBlock,
  Model,
  ToolResultMessage,
  UserMessage,
} from '../protocol/extension-content.ts'
export type { EventData, EventName } from '../protocol/extension-events.ts'
export { RpcFailure } from '../protocol/extension-peer.ts'
export { type Action, parseAction } from './action.ts'
export type { ExtensionApp } from './app.ts'
export { type Discovered, discoverExtensions, type Places } from './discover.ts'
export { createExtensionHost, type ExtensionHost, type ExtensionHostOptions } from './extension-host.ts'
export { createHeadless, type Headless } from './headless/headless.ts'
export type { HeadlessOptions } from './headless/headless-options.ts'
export type { Caller, HostSide, LiveExtension } from './live-extension.ts'
export type { Manifest } from './manifest.ts'
export type { LocalCommand, LocalOffer, LocalTool, ToolOutcome } from './offer.ts'
export { collectInjections, transformInput } from './prompt-chain.ts'
export { type Delta, type StreamRequest, streamAnswer } from './provider-stream.ts'
export { readManifest } from './read-manifest.ts'
export { type StartOptions, startExtension } from './start-extension.ts'
export { callTool } from './tool-calls.ts'
