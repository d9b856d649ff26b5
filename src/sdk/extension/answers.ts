// Answers every request of a host to a running extension. A method without an answer does not compile.

import { safeParse } from 'valibot'
import {
  assistantMessage,
  contentBlock,
  toolResultMessage,
  userMessage,
} from '../../protocol/extension/content.ts'
import { RpcFailure, rpcErrorCodes } from '../../protocol/extension/rpc.ts'
import type { ExtensionRequest, Params, SentParams, SentResult } from '../../protocol/extension/table.ts'
import { asArray, asObject } from '../../std/json.ts'
import { type Block, errorAnswer, findArgsProblem, ToolError, toAnswer } from './args.ts'
import {
  type CompactEntry,
  type Context,
  decodeEvent,
  type Piece,
  type Provider,
  type ProviderRequest,
  type SentMessage,
} from './definition.ts'
import { inOrder, type Offers } from './offers.ts'

export type ServedRequest = Exclude<ExtensionRequest, 'initialize'>

type RequestAnswer<M extends ServedRequest> = (
  offers: Offers,
  params: Params<M>,
  context: Context,
) => Promise<SentResult<M>>

export const requestAnswers: { [M in ServedRequest]: RequestAnswer<M> } = {
  async 'tool/execute'({ tools }, { name, args, callId }, context) {
    const tool = required(tools, name, 'tool')
    try {
      const problem = findArgsProblem(tool.parameters ?? {}, args)
      if (problem !== undefined)
        throw new ToolError(
          'INVALID_ARGS',
          `${name}: ${problem}`,
          'Call it again with arguments as in its schema.',
        )
      return toAnswer(await tool.execute(args, withCallId(context, callId)))
    } catch (error) {
      if (error instanceof ToolError) return errorAnswer(error)
      throw error
    }
  },

  async 'command/execute'({ commands }, { name, args }, context) {
    await required(commands, name, 'command').handler(args, context)
    return {}
  },

  async 'shortcut/handle'({ shortcuts }, { key }, context) {
    return { action: (await required(shortcuts, key, 'shortcut').handler(context)) ?? null }
  },

  async 'interceptor/before'({ interceptors }, { name, toolName, args }, context) {
    let current = args
    for (const interceptor of chosen(interceptors, name)) {
      const call = { toolName, args: current }
      const verdict = (await interceptor.before?.(call, context)) ?? true
      const {
        allow = true,
        args: changed,
        preview,
      } = typeof verdict === 'boolean' ? { allow: verdict } : verdict
      if (!allow) return { allow, preview: preview ?? interceptor.preview?.(call) ?? '' }
      current = changed ?? current
    }
    return { allow: true, args: current }
  },

  async 'interceptor/after'({ interceptors }, { name, toolName, details }, context) {
    let current = details
    for (const interceptor of chosen(interceptors, name)) {
      const change = await interceptor.after?.(
        { toolName, content: contentOf(current), details: current },
        context,
      )
      if (change && 'details' in change) current = change.details
      else if (change) current = { ...asObject(current), content: change.content }
    }
    return { details: current }
  },

  /** Every handler is called; of the actions they ask for, only the first is answered. */
  async 'event/dispatch'({ listeners }, { type, data }, context) {
    const wanted = []
    for (const { events, handle } of inOrder(listeners)) {
      if (events.length > 0 && !events.some((event) => event === type)) continue
      const action = await handle(decodeEvent(type, data), context)
      if (action) wanted.push(action)
    }
    if (wanted.length > 1)
      context.host.log(
        'warn',
        `${type}: ${wanted.length} handlers asked for an action; only the first is used`,
      )
    return { action: wanted[0] ?? null }
  },

  async 'messageHook/onMessage'({ messageHooks }, { message }, context) {
    const added: string[] = []
    for (const { handle } of inOrder(messageHooks)) added.push((await handle(message, context)) || '')
    return { injection: added.filter((text) => text !== '').join('\n') }
  },

  async 'inputTransformer/transform'({ inputTransformers }, { input }, context) {
    let output = input
    for (const { handle } of inOrder(inputTransformers)) {
      const change = await handle(output, context)
      if (typeof change === 'object') {
        output = change.output ?? output
        if (change.handled) return { output, handled: true }
      } else output = change ?? output
    }
    return { output, handled: false }
  },

  async 'compact/execute'({ compactor }, { messages }, context) {
    if (!compactor) throw new RpcFailure(rpcErrorCodes.invalidParams, 'no compactor registered')
    return { messages: await compactor.compact(messages.map(decodeEntry), context) }
  },

  async 'provider/stream'({ providers }, { requestId, ...request }, context) {
    const provider = required(providers, request.model.api, 'provider')
    const complete = { ...request, tools: request.tools ?? [] } as unknown as ProviderRequest
    return { message: await streamProvider(provider, complete, context, requestId) }
  },
}

function required<Value>(offered: Map<string, Value>, name: string, kind: string): Value {
  const value = offered.get(name)
  if (value === undefined) throw new RpcFailure(rpcErrorCodes.invalidParams, `unknown ${kind}: ${name}`)
  return value
}

/** An empty name stands for all interceptors. */
function chosen(interceptors: Offers['interceptors'], name: string) {
  if (name !== '') return [required(interceptors, name, 'interceptor')]
  return [...interceptors.values()].sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0))
}

/** The content of a tool result, which hosts and other extensions write in several forms. */
function contentOf(details: unknown): Block[] {
  const content =
    typeof details === 'string' ? details : (asObject(details)?.content ?? asObject(details)?.output)
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return asArray(content).flatMap((block) => {
    const parsed = safeParse(contentBlock, block)
    return parsed.success ? [parsed.output as Block] : []
  })
}

const entrySchemas = { user: userMessage, assistant: assistantMessage, tool_result: toolResultMessage }

/**
 * Lists that a host wrote as null become empty ones. A message that does not fit its schema stays as it is.
 */
function decodeEntry({ type, data }: { type: string; data?: unknown }): CompactEntry {
  const schema = entrySchemas[type as keyof typeof entrySchemas]
  const parsed = schema && safeParse(schema, data)
  return { type, data: parsed?.success ? parsed.output : data } as CompactEntry
}

// Not a copy, because reading `host` would create one that the tool may not need.
function withCallId(context: Context, callId: string): Context & { callId: string } {
  return Object.create(context, { callId: { value: callId, enumerable: true } })
}

type Part =
  | { text: string }
  | { thinking: string }
  | { id: string; name: string; arguments: Record<string, unknown> }
type AssistantMessage = NonNullable<SentResult<'provider/stream'>['message']>

async function streamProvider(
  provider: Provider,
  request: ProviderRequest,
  context: Context,
  requestId: number,
): Promise<AssistantMessage> {
  const content: Part[] = []
  const pieces = provider(request, context)[Symbol.asyncIterator]()
  let step = await pieces.next()
  while (!step.done) {
    const delta = addPiece(content, step.value)
    // Awaited, so that a host that reads slowly is not flooded.
    await context.host.tell('provider/delta', { requestId, index: content.length - 1, ...delta })
    if (context.signal.aborted) await pieces.return?.(undefined)
    context.signal.throwIfAborted()
    step = await pieces.next()
  }
  return finish(content, request, step.value as SentMessage | undefined)
}

/** Adds the piece to the parts of the message, and returns the notice to the host about it. */
function addPiece(
  content: Part[],
  piece: Piece,
): Pick<SentParams<'provider/delta'>, 'type' | 'delta' | 'tool'> {
  const last = content.at(-1)
  if (typeof piece === 'object' && 'toolCall' in piece) {
    const { id, name, arguments: args = {} } = piece.toolCall
    content.push({ id, name, arguments: args })
    return { type: 'toolcall_end', tool: { id, name, arguments: JSON.stringify(args) } }
  }
  if (typeof piece === 'object' && 'thinking' in piece) {
    if (last && 'thinking' in last) last.thinking += piece.thinking
    else content.push({ thinking: piece.thinking })
    return { type: 'thinking_delta', delta: piece.thinking }
  }
  const text = typeof piece === 'string' ? piece : piece.text
  if (last && 'text' in last) last.text += text
  else content.push({ text })
  return { type: 'text_delta', delta: text }
}

function finish(content: Part[], { model }: ProviderRequest, sent: SentMessage = {}): AssistantMessage {
  const hasCalls = content.some((part) => 'arguments' in part)
  const usage = {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cost: 0,
    ...sent.usage,
  }
  return {
    content,
    model: model.id,
    provider: model.provider || model.api,
    stopReason: hasCalls ? 'toolUse' : 'stop',
    timestamp: new Date().toISOString(),
    ...sent,
    usage,
  }
}
