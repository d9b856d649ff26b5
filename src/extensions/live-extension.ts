// A running extension, as those see it who want something of it. Nobody keeps one: it is looked up when it is needed.
import type { ContentBlock } from '../protocol/extension/content.ts'
import type {
  ExtensionNotice,
  ExtensionRequest,
  HostNotice,
  HostRequest,
  Params,
  Registration,
  Result,
  SentParams,
  SentResult,
} from '../protocol/extension/table.ts'
import type { Manifest } from './manifest.ts'

/** Everything an extension registered, in the order in which it did. */
export type Registrations = { [R in Registration]: Params<R>[] }

export interface CallOptions {
  /** Aborted: the extension is told that nobody waits. */
  signal?: AbortSignal
  /** Instead of the deadline of the method. */
  deadlineMs?: number
}

export interface Exit {
  /** In words, for people. */
  reason: string
  /** The last lines it wrote beside the protocol. */
  lastLines: string[]
}

export interface LiveExtension {
  manifest: Manifest
  pid: number | undefined
  registrations: Registrations
  /** Throws an RpcFailure for an error it answers, for a deadline, for its death; the signal's reason when that was aborted. */
  request<M extends ExtensionRequest>(
    method: M,
    params: SentParams<M>,
    options?: CallOptions,
  ): Promise<Result<M>>
  tell<M extends ExtensionNotice>(method: M, params: SentParams<M>): void
  /** Pieces of an answer that is being made, until it is made. */
  onDelta(requestId: number, listener: (delta: Params<'provider/delta'>) => void): () => void
  /** Numbers for requests that go by other names than those of the envelope. */
  nextId(): number
  /** Settles when the process is gone, whoever ended it. */
  exited: Promise<Exit>
  isRunning(): boolean
  /** Whether it answers at all. True as well for one that never answers questions it does not know. */
  ping(withinMs: number): Promise<boolean>
  /** What is under way right now. */
  load(): { waiting: number; serving: number; outboxBytes: number }
  /** Never hangs and never throws; the second time it does nothing. */
  stop(): Promise<void>
}

/** Who asks. */
export interface Caller {
  extension: Manifest
  live: LiveExtension
  /** Aborted when the extension takes its request back, when its deadline passes, or when the extension is gone. */
  signal: AbortSignal
}

/** What hears the requests and notices of extensions. A method without a handler does not compile. */
export interface HostSide {
  requests: {
    [M in HostRequest]: (params: Params<M>, caller: Caller) => Promise<SentResult<M>> | SentResult<M>
  }
  notices: {
    [N in Exclude<HostNotice, Registration | 'provider/delta' | '$/cancelRequest'>]: (
      params: Params<N>,
      caller: Caller,
    ) => void
  }
}

// What can be used in a program with extensions, whoever offers it.

export interface ToolOutcome {
  content: ContentBlock[]
  isError: boolean
  /** For machines: what a tool did beside what it said. */
  details?: unknown
  errorCode?: string
  errorHint?: string
}

export interface ToolCall {
  id: string
  signal: AbortSignal
}

/** A tool of the program itself. */
export interface LocalTool {
  name: string
  description: string
  parameters: unknown
  promptHint?: string
  backgroundSafe?: boolean
  deferred?: boolean
  /** `block`: once begun it is not interrupted. */
  interruptBehavior?: 'cancel' | 'block'
  execute(args: Record<string, unknown>, call: ToolCall): Promise<ToolOutcome>
}

export interface LocalCommand {
  name: string
  description: string
  immediate?: boolean
  execute(args: string, signal: AbortSignal): Promise<void>
}

export interface LocalOffer {
  tools: LocalTool[]
  commands: LocalCommand[]
}

/** Everything one owner offers. The program itself has rank 0; extensions come after it, in the order of their names. */
export type Offer = { owner: string; rank: number } & (
  | { local: LocalOffer }
  | { registrations: Registrations }
)

export const ownName = 'builtin'
