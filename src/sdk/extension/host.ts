// The host, as authors of extensions call it. Every request of the protocol is a function here, by its own name: `host/config.get` is
// `configGet`.
import type { HostNotice, HostRequest, Result, SentParams } from '../../protocol/extension.ts'
import type { NoticeLevel } from './actions.ts'
import type { Gives, Takes } from './host-calls.ts'
import type { Message } from './messages.ts'

export interface HostCallOptions {
  /** Aborted: the host is told that nobody waits. */
  signal?: AbortSignal
  /** How long to wait. Without it as long as the host takes, which has deadlines of its own. */
  timeoutMs?: number
}

type ClientName<M extends string> = M extends `host/${infer Group}.${infer Name}`
  ? `${Group}${Capitalize<Name>}`
  : M extends `host/${infer Name}`
    ? Name
    : never

type Given<M extends HostRequest> = M extends keyof Gives
  ? Result<M>[Gives[M] & keyof Result<M>]
  : string extends keyof Result<M>
    ? { [Field in keyof Result<M> as string extends Field ? never : Field]: Result<M>[Field] }
    : Result<M>

type Call<M extends HostRequest> = M extends keyof Takes
  ? (value: SentParams<M>[Takes[M] & keyof SentParams<M>], options?: HostCallOptions) => Promise<Given<M>>
  : undefined extends SentParams<M>
    ? (options?: HostCallOptions) => Promise<Given<M>>
    : (params: SentParams<M>, options?: HostCallOptions) => Promise<Given<M>>

/** Whether it could be said: what is longer than a line may be cannot. */
type Said = Promise<boolean>

type Notice<N extends keyof Takes & HostNotice> = (value: NonNullable<SentParams<N>[Takes[N] & keyof SentParams<N>]>) => Said

type Derived = { [M in Exclude<HostRequest, 'host/subscribe' | 'host/showPicker'> as ClientName<M>]: Call<M> } & {
  [N in keyof Takes & HostNotice]: Notice<N>
}

export interface Host extends Derived {
  /** The id of what was chosen, or null when the user would not choose. */
  showPicker(params: SentParams<'host/showPicker'>, options?: HostCallOptions): Promise<string | null>
  /** Hears of a topic until the function that it gives is called. */
  subscribe(topic: string, listener: (data: unknown, topic: string) => unknown): Promise<() => void>
  /** The conversation from a message on. */
  messagesFrom(index: number, options?: HostCallOptions): Promise<Message[]>
  notify(message: string, level?: NoticeLevel): Said
  log(level: 'debug' | NoticeLevel, message: string): Said
  /** Without content it goes. */
  setWidget(widget: { key: string; placement: 'above-input' | 'below-status'; content: string }): Said
  showOverlay(overlay: { key: string; content: string; title?: string; anchor?: string; width?: string }): Said
  /** Any request by the name it has in the protocol. */
  request<M extends HostRequest>(method: M, params: SentParams<M>, options?: HostCallOptions): Promise<Result<M>>
  /** Any notice by the name it has in the protocol. */
  tell<N extends HostNotice>(method: N, params: SentParams<N>): Said
}
