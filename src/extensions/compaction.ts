// Shortening a conversation through an extension. After three failures in a row nobody tries for a while.
import type { CompactMessage } from '../protocol/extension-content.ts'
import { EntireError } from '../std/errors.ts'
import { type Reach, requireRunning } from './running.ts'

const maxFailures = 3
const restMs = 5 * 60 * 1000

export type Compaction = ReturnType<typeof createCompaction>

export function createCompaction({ registry, running }: Reach, clock: () => Date) {
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
        const answer = await requireRunning(running, compactor.owner).request('compact/execute', { messages }, { signal })
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
