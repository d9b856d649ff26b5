// Lets extensions take part in a conversation: they transform what the user types, add to the prompt, shorten
// the conversation, and answer in place of a model.

import type { AssistantMessage, CompactMessage } from '../protocol/extension/content.ts'
import type { SentParams } from '../protocol/extension/table.ts'
import { EntireError, messageOf } from '../std/errors.ts'
import { type Delta, type LiveExtension, requireRunning } from './live-extension.ts'
import type { ExtensionAccess } from './registry.ts'

/**
 * Passes the user's text through all input transformers. `handled`: one of them dealt with it, and nothing is
 * sent. The error of a transformer is thrown, so that the text is neither lost nor sent unchanged.
 */
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

/** Joins what message hooks add to the system prompt of a turn. A hook that fails adds nothing. */
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

const maxFailures = 3
const restMs = 5 * 60 * 1000

/** Shortens conversations through the compactor of an extension. It rests after three failures in a row. */
export class Compaction {
  readonly #access: ExtensionAccess
  readonly #clock: () => Date
  #failures = 0
  #restsUntil = 0

  constructor(access: ExtensionAccess, clock: () => Date) {
    this.#access = access
    this.#clock = clock
  }

  isPresent(): boolean {
    return this.#access.registry.compactor() !== undefined
  }

  /** The number of tokens from which a conversation is shortened; the compactor's own number comes first. */
  threshold(otherwise: number): number {
    return this.#access.registry.compactor()?.value.threshold || otherwise
  }

  isResting(): boolean {
    return this.#clock().getTime() < this.#restsUntil
  }

  async compact(messages: CompactMessage[], signal: AbortSignal): Promise<CompactMessage[]> {
    const { registry, running } = this.#access
    const compactor = registry.compactor()
    if (!compactor) throw new EntireError('not-found', 'no compactor registered')
    try {
      const live = requireRunning(running, compactor.owner)
      const answer = await live.request('compact/execute', { messages }, { signal })
      this.#failures = 0
      // An empty answer would delete the conversation.
      return answer.messages.length === 0 ? messages : answer.messages
    } catch (error) {
      this.#countFailure()
      throw error
    }
  }

  #countFailure(): void {
    this.#failures += 1
    if (this.#failures < maxFailures) return
    this.#restsUntil = this.#clock().getTime() + restMs
    this.#failures = 0
  }
}

export type StreamRequest = Omit<SentParams<'provider/stream'>, 'requestId'>

/**
 * Asks an extension that provides models. Pieces arrive on the way; the message at the end is what counts.
 */
export async function streamAnswer(
  live: LiveExtension,
  request: StreamRequest,
  options: { signal: AbortSignal; onDelta(delta: Delta): void },
): Promise<AssistantMessage> {
  const requestId = live.nextId()
  const stopListening = live.onDelta(requestId, options.onDelta)
  try {
    const answer = await live.request(
      'provider/stream',
      { ...(request as SentParams<'provider/stream'>), requestId },
      { signal: options.signal },
    )
    if (answer.message) return answer.message
    throw new Error(answer.error || `extension ${live.manifest.name} answered without a message`)
  } finally {
    stopListening()
  }
}
