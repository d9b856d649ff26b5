// Shortens the conversation when it has become long, while the run goes on.

import type { Compaction } from '../../extensions/prompt-chain.ts'
import { messageOf } from '../../std/errors.ts'
import {
  type AssistantChatMessage,
  parseCompactMessages,
  toCompactMessages,
} from '../conversation/message.ts'
import type { ActiveConversation } from '../sessions/current-session.ts'
import type { Emit } from './run-agent.ts'

const minMessages = 8
const waitMs = 30_000

export interface AutoCompactionOptions {
  compaction(): Compaction
  conversation(): ActiveConversation
  /** Counts when the compactor has no threshold of its own; 0: never. */
  threshold(): number
  emit: Emit
  log(message: string): void
}

/** Numbers of messages. */
type CompactedSize = {
  before: number
  after: number
}

export class AutoCompaction {
  readonly #options: AutoCompactionOptions
  #compacting: Promise<void> | undefined

  constructor(options: AutoCompactionOptions) {
    this.#options = options
  }

  /** Starts a compaction if the conversation has become long; does not wait for it. */
  afterTurn({ usage }: AssistantChatMessage): void {
    const { conversation, threshold, log } = this.#options
    const compaction = this.#options.compaction()
    const from = compaction.isPresent() ? compaction.threshold(threshold()) : 0
    const isLong = from > 0 && usage.inputTokens >= from && conversation().messages().length >= minMessages
    if (!isLong || this.#compacting || compaction.isResting()) return
    this.#compacting = this.#compact(usage.inputTokens, AbortSignal.timeout(waitMs))
      .then(
        () => {},
        (error) => log(`compact failed: ${messageOf(error)}`),
      )
      .finally(() => {
        this.#compacting = undefined
      })
  }

  /** Settles when no compaction is under way. */
  done(): Promise<void> {
    return this.#compacting ?? Promise.resolve()
  }

  async now(signal: AbortSignal): Promise<CompactedSize> {
    await this.#compacting
    const messages = this.#options.conversation().messages()
    const last = messages.findLast((message) => message.role === 'assistant')
    return await this.#compact(last?.role === 'assistant' ? last.usage.inputTokens : 0, signal)
  }

  /** Keeps messages that arrive meanwhile. Changes nothing if the conversation is replaced meanwhile. */
  async #compact(tokens: number, signal: AbortSignal): Promise<CompactedSize> {
    const { compaction, emit } = this.#options
    const conversation = this.#options.conversation()
    const [all, version] = [conversation.messages(), conversation.version()]
    const sent = toCompactMessages(all)
    const answer = await compaction().compact(sent, signal)
    const shorter = parseCompactMessages(answer)
    const isReplaced = conversation !== this.#options.conversation() || conversation.version() !== version
    if (answer === sent || shorter.length === 0 || isReplaced)
      return { before: all.length, after: all.length }
    await conversation.replace([...shorter, ...conversation.messages().slice(all.length)], tokens)
    emit('EventCompact', { Before: all.length, After: shorter.length, TokensAtCompact: tokens })
    return { before: all.length, after: shorter.length }
  }
}
