// An answer that an extension makes in place of a model. Pieces come on the way; the message at the end is what counts.

import type { Params, SentParams } from '../protocol/extension.ts'
import type { AssistantMessage } from '../protocol/extension-content.ts'
import type { LiveExtension } from './live-extension.ts'

export type Delta = Params<'provider/delta'>
export type StreamRequest = Omit<SentParams<'provider/stream'>, 'requestId'>

export async function streamAnswer(
  live: LiveExtension,
  request: StreamRequest,
  options: { signal: AbortSignal; onDelta(delta: Delta): void },
): Promise<AssistantMessage> {
  const requestId = live.nextId()
  const forget = live.onDelta(requestId, options.onDelta)
  try {
    const answer = await live.request(
      'provider/stream',
      { ...(request as SentParams<'provider/stream'>), requestId },
      { signal: options.signal },
    )
    if (answer.message) return answer.message
    throw new Error(answer.error || `extension ${live.manifest.name} answered without a message`)
  } finally {
    forget()
  }
}
