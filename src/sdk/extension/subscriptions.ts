// Who listens to which topic. The host is asked once for each: there is no way to take a subscription back but to stop listening.
import { messageOf } from '../../std/errors.ts'

type Listener = (data: unknown, topic: string) => unknown

export type Subscriptions = ReturnType<typeof createSubscriptions>

export function createSubscriptions(onError: (message: string) => void) {
  const topics = new Map<string, { listeners: Set<Listener>; asked?: Promise<unknown> }>()
  return {
    /** Listens before the host is asked, because the first event may come in one piece with its answer. */
    async add(topic: string, listener: Listener, ask: () => Promise<unknown>): Promise<() => void> {
      const entry = topics.get(topic) ?? { listeners: new Set() }
      topics.set(topic, entry)
      entry.listeners.add(listener)
      try {
        entry.asked ??= ask()
        await entry.asked
      } catch (error) {
        topics.delete(topic)
        throw error
      }
      return () => void entry.listeners.delete(listener)
    },
    /** One listener that fails does not keep the others from hearing. */
    hear(topic: string, data: unknown): void {
      for (const listener of topics.get(topic)?.listeners ?? []) {
        Promise.resolve()
          .then(() => listener(data, topic))
          .catch((error) => onError(`listener of ${topic}: ${messageOf(error)}`))
      }
    },
  }
}
