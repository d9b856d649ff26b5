// Streams the answer of a provider: sends each piece to the host as it comes, and puts the message together.

import type { SentParams, SentResult } from '../../protocol/extension/table.ts'
import type { Context, Piece, Provider, ProviderRequest, SentMessage } from './definition.ts'

type Part =
  | { text: string }
  | { thinking: string }
  | { id: string; name: string; arguments: Record<string, unknown> }
type AssistantMessage = NonNullable<SentResult<'provider/stream'>['message']>

export async function streamProvider(
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

/** Adds the piece to the parts of the message, and returns what the host is told of it. */
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
