// The processes behind the names of extensions. Whoever needs one asks for it at that moment.
import { codes } from '../protocol/extension-line.ts'
import { RpcFailure } from '../protocol/extension-peer.ts'
import type { LiveExtension } from './live-extension.ts'
import type { Registry } from './registry.ts'

export interface Running {
  /** Undefined when it does not run at the moment. */
  find(name: string): LiveExtension | undefined
  /** In words: why it does not. */
  whyNot(name: string): string
}

/** Everything that is needed to get at what extensions offer. */
export interface Reach {
  registry: Registry
  running: Running
}

export function requireRunning(running: Running, name: string): LiveExtension {
  const live = running.find(name)
  if (live) return live
  throw new RpcFailure(codes.failed, `extension ${name} is not running: ${running.whyNot(name)}`)
}
