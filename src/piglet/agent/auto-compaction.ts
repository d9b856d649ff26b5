// Shortens the conversation when it has become long, beside the run that goes on.
import type { Compaction } from '../../extensions/prompt-chain.ts'
import { messageOf } from '../../std/errors.ts'
import { type AssistantMessage, parseCompactMessages, toCompactMessages } from '../conversation/message.ts'
import type { ActiveConversation } from '../sessions/current-session.ts'
import type { Emit } from './run-agent.ts'

const minMessages = 8
const waitMs = 30_000

export interface AutoCompactionOptions {
  compaction(): Compaction
  conversation(): ActiveConversation
  /** What counts when the compactor has no threshold of its own; 0: never. */
  threshold(): number
  emit: Emit
  log(message: string): void
}

export type AutoCompaction = ReturnType<typeof createAutoCompaction>

export function createAutoCompaction({
  compaction,
  conversation,
  threshold,
  emit,
  log,
}: AutoCompactionOptions) {
  let working: Promise<void> | undefined

  /** What came in meanwhile is kept; when something else was put in its place meanwhile, nothing happens. */
  async function compact(tokens: number, signal: AbortSignal): Promise<{ before: number; after: number }> {
    const mine = conversation()
    const [all, version] = [mine.messages(), mine.version()]
    const sent = toCompactMessages(all)
    const answer = await compaction().compact(sent, signal)
    const shorter = parseCompactMessages(answer)
    const unchanged = { before: all.length, after: all.length }
    if (answer === sent || shorter.length === 0 || mine !== conversation() || mine.version() !== version)
      return unchanged
    const messages = [...shorter, ...mine.messages().slice(all.length)]
    await mine.replace(messages, tokens)
    emit('EventCompact', { Before: all.length, After: shorter.length, TokensAtCompact: tokens })
    return { before: all.length, after: shorter.length }
  }

  return {
    afterTurn({ usage }: AssistantMessage): void {
      const from = compaction().isPresent() ? compaction().threshold(threshold()) : 0
      const isLong = from > 0 && usage.inputTokens >= from && conversation().messages().length >= minMessages
      if (!isLong || working || compaction().isResting()) return
      working = compact(usage.inputTokens, AbortSignal.timeout(waitMs))
        .then(
          () => {},
          (error) => log(`compact failed: ${messageOf(error)}`),
        )
        .finally(() => {
          working = undefined
        })
    },
    /** Settles when nothing is being shortened. */
    done: () => working ?? Promise.resolve(),
    async now(signal: AbortSignal): Promise<{ before: number; after: number }> {
      await working
      const last = conversation()
        .messages()
        .findLast((message) => message.role === 'assistant')
      return await compact(last?.role === 'assistant' ? last.usage.inputTokens : 0, signal)
    },
  }
}
