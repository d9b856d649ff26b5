// What an author says of an extension. Names are the keys; handlers get what they are about first, and then where they are.

import type { InferOutput } from 'valibot'
import type {
  ActionResult,
  AssistantMessage,
  Model,
  ToolResultMessage,
  UserMessage,
} from '../../protocol/extension/content.ts'
import { type EventName, events } from '../../protocol/extension/events.ts'
import { type Args, type ArgsSchema, type Block, parseParams, type ToolOutput } from './args.ts'
import type { Host, Message } from './host.ts'

export interface Context {
  /** Aborted when nobody waits for the answer any more, or when the extension ends. */
  signal: AbortSignal
  /** Calls made through it are taken back together with the one that is being answered. */
  host: Host
  /** The project. */
  cwd: string
  /** For what the extension wants to keep. May not exist yet. */
  configDir: string
}

type Maybe<Value> = Value | undefined | Promise<Value | undefined>

export interface ToolDefinition<Schema extends ArgsSchema = ArgsSchema> {
  description: string
  /** What the model may call it with. Without one: anything. */
  parameters?: Schema
  /** A line for the system prompt. */
  promptHint?: string
  /** Small models see its schema only when it is asked for. */
  deferred?: boolean
  /** `block`: once begun it is not interrupted. */
  interruptBehavior?: 'cancel' | 'block'
  /** May run beside other agents: it changes nothing. */
  backgroundSafe?: boolean
  execute(args: Args<Schema>, context: Context & { callId: string }): ToolOutput | Promise<ToolOutput>
}

export interface CommandDefinition {
  description: string
  /** Runs even while the agent works. */
  immediate?: boolean
  /** `args`: the text after its name. */
  handler(args: string, context: Context): unknown
}

export interface PromptSection {
  content: string
  /** Lower ones come first. */
  order?: number
  tokenHint?: number
}

export interface CallInfo {
  toolName: string
  args: Record<string, unknown>
}

/** Nothing, or true: go on. False: stop. With `args`: go on with these. `preview` is what the model reads instead of the result. */
export type Verdict = boolean | { allow?: boolean; args?: Record<string, unknown>; preview?: string }

export interface Interceptor {
  /** Higher ones come first: 2000 and more for safety, 1000 for records, 500 for changes. */
  priority?: number
  /** What it throws refuses the call. */
  before?(call: CallInfo, context: Context): Maybe<Verdict>
  /** What the model reads when `before` refuses without saying so itself. */
  preview?(call: CallInfo): string
  /** `content` takes the place of what the tool said, `details` of everything. */
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

/** What to add to the system prompt of this turn. */
export type MessageHook = (message: string, context: Context) => Maybe<string>

/** The text to go on with; `handled`: nothing is sent. Nothing: it stays as it is. */
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
  /** Tokens from which on the host asks by itself; without it the user's setting decides. */
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

/** Yields pieces. Returns what else there is to say of the message: usage, why it stopped, or a content of its own. */
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
  /** By the kind of model they answer for. */
  providers?: Record<string, Provider>
  /** Before anything is registered: what is only known now can still be added. */
  onInit?(context: Context): unknown
  /** There are 150 ms for it. */
  onShutdown?(context: Context): unknown
}

// What the agent does, typed for those who listen.

export type EventPayload<Name extends EventName> = InferOutput<(typeof events)[Name]['data']>

/** The event of a name; of several names, one of them. */
export type EventOf<Name extends EventName> = { [One in Name]: { type: One; data: EventPayload<One> } }[Name]

/** An event that is newer than this kit is passed on as it is. */
export function decodeEvent(type: string, data: unknown): EventOf<EventName> {
  if (!Object.hasOwn(events, type)) return { type, data } as EventOf<EventName>
  return { type, data: parseParams(events[type as EventName].data, data ?? {}, type) } as EventOf<EventName>
}
