// Describes a running extension to the code that uses it, and the requests a host answers. The process behind
// a name can be replaced at any time, so a live extension is looked up for each use and never kept.

import { RpcFailure, rpcErrorCodes } from '../protocol/extension/rpc.ts'
import type {
  ExtensionNotice,
  ExtensionRequest,
  HostNotice,
  HostRequest,
  MethodResult,
  Params,
  Registration,
  SentParams,
  SentResult,
} from '../protocol/extension/table.ts'
import type { Manifest } from './manifest.ts'

/** Everything an extension registered, in the order of its registrations. */
export type Registrations = { [R in Registration]: Params<R>[] }

export interface CallOptions {
  /** Aborting it cancels the request, and tells the extension so. */
  signal?: AbortSignal
  /** Replaces the deadline of the method. */
  deadlineMs?: number
}

export interface Exit {
  /** For people. */
  reason: string
  /** The last lines it printed outside the protocol. */
  lastLines: string[]
}

export interface LiveExtension {
  manifest: Manifest
  pid: number | undefined
  registrations: Registrations
  /**
   * Throws an RpcFailure when the extension answers with an error, misses the deadline or dies, and the
   * signal's reason when the signal is aborted.
   */
  request<M extends ExtensionRequest>(
    method: M,
    params: SentParams<M>,
    options?: CallOptions,
  ): Promise<MethodResult<M>>
  tell<M extends ExtensionNotice>(method: M, params: SentParams<M>): void
  /** Listens to the pieces of one streamed answer; returns the function that stops listening. */
  onDelta(requestId: number, listener: (delta: Delta) => void): () => void
  /** An id for what has its own ids beside those of requests: streams and subscriptions. */
  nextId(): number
  /** Settles when the process has ended, for whatever reason. */
  exited: Promise<Exit>
  isRunning(): boolean
  /** Whether it answers at all. Always true for an extension that does not answer unknown methods. */
  ping(withinMs: number): Promise<boolean>
  /** Requests to and from it that are not answered yet, and bytes it has not read yet. */
  load(): { waiting: number; serving: number; outboxBytes: number }
  /** Never hangs and never throws; a second call has no effect. */
  stop(): Promise<void>
}

/** One piece of an answer that a provider streams. */
export type Delta = Params<'provider/delta'>

/** The extension a request or notice comes from. */
export interface CallingExtension {
  extension: Manifest
  live: LiveExtension
  /**
   * Aborted when the extension cancels its request, when the deadline passes, or when the extension is gone.
   */
  signal: AbortSignal
}

/** Answers the requests and handles the notices of extensions. A missing handler does not compile. */
export interface HostSide {
  requests: {
    [M in HostRequest]: (
      params: Params<M>,
      caller: CallingExtension,
    ) => Promise<SentResult<M>> | SentResult<M>
  }
  notices: {
    [N in Exclude<HostNotice, Registration | 'provider/delta' | '$/cancelRequest'>]: (
      params: Params<N>,
      caller: CallingExtension,
    ) => void
  }
}

/** The processes behind the names of extensions. */
export interface RunningExtensions {
  /** Undefined when it does not run at the moment. */
  find(name: string): LiveExtension | undefined
  /** For people. */
  whyNot(name: string): string
}

export function requireRunning(running: RunningExtensions, name: string): LiveExtension {
  const live = running.find(name)
  if (live) return live
  throw new RpcFailure(rpcErrorCodes.failed, `extension ${name} is not running: ${running.whyNot(name)}`)
}
