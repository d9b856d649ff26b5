// Defines what an author writes to define an extension. Names are keys; the last parameter of a handler is
// its context.

import type { InferOutput } from 'valibot'
import type {
  ActionResult,
  AssistantMessage,
  Model,
  ToolResultMessage,
  UserMessage,
} from '../../protocol/extension/content.ts'
import { type EventName, extensionEvents } from '../../protocol/extension/events.ts'
import { type Args, type ArgsSchema, type Block, parseOrRefuse, type ToolOutput } from './args.ts'
import type { Host } from './host.ts'
import type { Message } from './messages.ts'

export interface Context {
  /** Aborted when the host cancels the request, or when the extension ends. */
  signal: AbortSignal
  /** Its calls are cancelled together with the request that is being answered. */
  host: Host
  /** The project. */
  cwd: string
  /** The directory for files of the extension. May not exist yet. */
  configDir: string
}

type Maybe<Value> = Value | undefined | Promise<Value | undefined>

export interface ToolDefinition<Schema extends ArgsSchema = ArgsSchema> {
  description: string
  /** The schema of the arguments. Without one, any are accepted. */
  parameters?: Schema
  /** A line for the system prompt. */
  promptHint?: string
  /** Small models see the schema only when they ask for it. */
  deferred?: boolean
  /** `block`: a running call is not interrupted. */
  interruptBehavior?: 'cancel' | 'block'
  /** It changes nothing, so it may run beside other agents. */
  backgroundSafe?: boolean
  execute(args: Args<Schema>, context: Context & { callId: string }): ToolOutput | Promise<ToolOutput>
}

export interface CommandDefinition {
  description: string
  /** Runs even while the agent works. */
  immediate?: boolean
  /** `args` is the text after the name. */
  handler(args: string, context: Context): unknown
}

export interface PromptSection {
  content: string
  /** Lower numbers come first. */
  order?: number
  tokenHint?: number
}

export interface CallInfo {
  toolName: string
  args: Record<string, unknown>
}

/**
 * Undefined or true allows the call, false refuses it, `args` replaces its arguments. The model reads
 * `preview` instead of a result.
 */
export type Verdict = boolean | { allow?: boolean; args?: Record<string, unknown>; preview?: string }

export interface Interceptor {
  /** Higher numbers come first: 2000 and more for safety, 1000 for records, 500 for changes. */
  priority?: number
  /** An exception refuses the call. */
  before?(call: CallInfo, context: Context): Maybe<Verdict>
  /** What the model reads when `before` refuses without a preview. */
  preview?(call: CallInfo): string
  /** `content` replaces the content of the result, `details` all of it. */
  after?(
    result: { toolName: string; content: Block[]; details: unknown },
    context: Context,
  ): Maybe<{ content: Block[] } | { details: unknown }>
}

export type EventHandler<Name extends EventName> = (
  event: EventOf<Name>,
  context: Context,
) => Maybe<ActionResult>

export interface ShortcutDefinition {
  description: string
  handler(context: Context): Maybe<ActionResult>
}

/** Returns what to add to the system prompt of this turn. */
export type MessageHook = (message: string, context: Context) => Maybe<string>

/** Returns the text to send; `handled` sends nothing; undefined leaves the input as it is. */
export type InputTransformer = (
  input: string,
  context: Context,
) => Maybe<string | { output?: string; handled: boolean }>

export type CompactEntry =
  | { type: 'user'; data: UserMessage }
  | { type: 'assistant'; data: AssistantMessage }
  | { type: 'tool_result'; data: ToolResultMessage }

export interface Compactor {
  name?: string
  /** The number of tokens above which the host compacts; without it the user's setting decides. */
  threshold?: number
  compact(messages: CompactEntry[], context: Context): CompactEntry[] | Promise<CompactEntry[]>
}

export interface ProviderRequest {
  model: Model
  system: string
  messages: Message[]
  tools: { name: string; description: string; parameters?: unknown }[]
  options: { temperature?: number; maxTokens?: number; thinking?: string; headers?: Record<string, string> }
}

/** A text alone is a piece of the answer. */
export type Piece =
  | string
  | { text: string }
  | { thinking: string }
  | { toolCall: { id: string; name: string; arguments?: Record<string, unknown> } }

/** Yields pieces. Returns further fields of the message: usage, the stop reason, or other content. */
export type Provider = (
  request: ProviderRequest,
  context: Context,
) => AsyncGenerator<Piece, SentMessage | undefined, unknown> | AsyncIterable<Piece>

export type SentMessage = Partial<Omit<AssistantMessage, 'usage'>> & {
  usage?: Partial<AssistantMessage['usage']>
}

export type EventHandlers = {
  [Name in EventName]?: (data: EventPayload<Name>, context: Context) => Maybe<ActionResult>
}

export interface ExtensionDefinition {
  name: string
  version?: string
  tools?: Record<string, ToolDefinition>
  commands?: Record<string, CommandDefinition>
  /** By title. */
  promptSections?: Record<string, PromptSection>
  interceptors?: Record<string, Interceptor>
  events?: EventHandlers
  /** By key, as in `ctrl+shift+k`. */
  shortcuts?: Record<string, ShortcutDefinition>
  messageHook?: MessageHook
  inputTransformer?: InputTransformer
  compactor?: Compactor
  /** By the `api` of the models they answer for. */
  providers?: Record<string, Provider>
  /** Runs before anything is registered: further offers can still be added. */
  onInit?(context: Context): unknown
  /** Has 150 ms. */
  onShutdown?(context: Context): unknown
}

export type EventPayload<Name extends EventName> = InferOutput<(typeof extensionEvents)[Name]['data']>

/** The event with this name; for several names, any of their events. */
export type EventOf<Name extends EventName> = { [One in Name]: { type: One; data: EventPayload<One> } }[Name]

/** Passes on an event that is newer than this kit as it is. */
export function decodeEvent(type: string, data: unknown): EventOf<EventName> {
  if (!Object.hasOwn(extensionEvents, type)) return { type, data } as EventOf<EventName>
  return {
    type,
    data: parseOrRefuse(extensionEvents[type as EventName].data, data ?? {}, type),
  } as EventOf<EventName>
}
