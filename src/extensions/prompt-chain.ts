// What happens to the user's text on its way to the model: transformers may change it, hooks may add to the prompt.
import type { AssistantMessage, CompactMessage } from '../protocol/extension/content.ts'
import type { Params, SentParams } from '../protocol/extension/table.ts'
import { EntireError, messageOf } from '../std/errors.ts'
import type { LiveExtension } from './live-extension.ts'
import { requireRunning } from './live-extension.ts'
import type { ExtensionAccess } from './registry.ts'

/** `handled`: somebody took care of it, and nothing is sent. An error of one of them is thrown: the text is not lost, but not sent. */
export async function transformInput(
  { registry, running }: ExtensionAccess,
  input: string,
  signal: AbortSignal,
): Promise<{ text: string; handled: boolean }> {
  let text = input
  for (const owner of registry.inputTransformers()) {
    const live = running.find(owner)
    if (!live) continue
    const answer = await live.request('inputTransformer/transform', { input: text }, { signal })
    if (answer.handled) return { text: answer.output, handled: true }
    text = answer.output
  }
  return { text, handled: false }
}

/** Everything hooks add to the system prompt of a turn. One that fails adds nothing; the others still do. */
export async function collectInjections(
  { registry, running }: ExtensionAccess,
  message: string,
  signal: AbortSignal,
  log: (message: string) => void,
): Promise<string> {
  const added: string[] = []
  for (const owner of registry.messageHooks()) {
    try {
      const answer = await running.find(owner)?.request('messageHook/onMessage', { message }, { signal })
      if (answer?.injection) added.push(answer.injection)
    } catch (error) {
      log(`message hook of ${owner}: ${messageOf(error)}`)
    }
  }
  return added.join('\n\n')
}

// Shortening a conversation through an extension. After three failures in a row nobody tries for a while.

const maxFailures = 3
const restMs = 5 * 60 * 1000

export type Compaction = ReturnType<typeof createCompaction>

export function createCompaction({ registry, running }: ExtensionAccess, clock: () => Date) {
  let failures = 0
  let restUntil = 0
  return {
    isPresent: () => registry.compactor() !== undefined,
    /** Tokens from which on a conversation is shortened by itself; 0: `otherwise` decides. */
    threshold: (otherwise: number) => registry.compactor()?.value.threshold || otherwise,
    /** Whether it is worth asking by oneself. */
    isResting: () => clock().getTime() < restUntil,
    async compact(messages: CompactMessage[], signal: AbortSignal): Promise<CompactMessage[]> {
      const compactor = registry.compactor()
      if (!compactor) throw new EntireError('not-found', 'no compactor registered')
      try {
        const answer = await requireRunning(running, compactor.owner).request(
          'compact/execute',
          { messages },
          { signal },
        )
        failures = 0
        // Nothing at all is no shorter conversation.
        return answer.messages.length === 0 ? messages : answer.messages
      } catch (error) {
        failures += 1
        if (failures >= maxFailures) {
          restUntil = clock().getTime() + restMs
          failures = 0
        }
        throw error
      }
    },
  }
}

// An answer that an extension makes in place of a model. Pieces come on the way; the message at the end is what counts.

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
