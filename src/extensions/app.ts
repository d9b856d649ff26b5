// What the protocol asks of the program that hosts extensions. What extensions offer each other, and the tools, commands and keys of all
// of them, the registry knows; everything else is the program's.
import type { Action } from './action.ts'
import type { HostSide, LiveExtension } from './live-extension.ts'
import type { Manifest } from './manifest.ts'

/** Answered from the registry, the event bus and the list of extensions. */
type Own =
  | 'host/listTools'
  | 'host/toolDefs'
  | 'host/commands'
  | 'host/shortcuts'
  | 'host/promptSections'
  | 'host/extInfos'
  | 'host/extensionsDir'
  | 'host/executeTool'
  | 'host/hasCompactor'
  | 'host/publish'
  | 'host/subscribe'

export interface ExtensionApp {
  /** The project. */
  cwd: string
  /** Where the user's settings, sessions and extensions are. */
  configDir: string
  sessionId(): string | undefined
  requests: Omit<HostSide['requests'], Own>
  notices: Omit<HostSide['notices'], 'log'>
  /** What the answer to an event or a key asks for. */
  act(action: Action, extension: string): void
  /** A process of an extension is gone, whoever ended it: what it shows goes with it. Another one may stand behind the name by then. */
  gone(extension: LiveExtension): void
  /** News of the extensions themselves. */
  announce(level: 'info' | 'warn' | 'error', message: string): void
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields?: Record<string, string>): void
  /** Whether the user trusts an extension with a key or a secret it did not declare, asked once and remembered. */
  approve(extension: Manifest, what: string): Promise<boolean>
}
