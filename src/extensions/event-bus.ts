// Extensions talk to each other by topics. Whoever subscribed hears of it, the one who published as well.
import type { LiveExtension } from './live-extension.ts'

interface Subscription {
  id: number
  extension: string
  tell: LiveExtension['tell']
}

export type EventBus = ReturnType<typeof createEventBus>

export function createEventBus() {
  const topics = new Map<string, Subscription[]>()
  return {
    subscribe(topic: string, live: Pick<LiveExtension, 'manifest' | 'nextId' | 'tell'>): number {
      const id = live.nextId()
      topics.set(topic, [...(topics.get(topic) ?? []), { id, extension: live.manifest.name, tell: live.tell }])
      return id
    },
    publish(topic: string, data: unknown): void {
      for (const { id, tell } of topics.get(topic) ?? []) tell('eventBus/event', { topic, subscriptionId: id, data })
    },
    /** A process that is gone hears of nothing any more. */
    forget(extension: string, tell?: LiveExtension['tell']): void {
      for (const [topic, list] of topics) {
        const rest = list.filter((one) => one.extension !== extension || (tell !== undefined && one.tell !== tell))
        if (rest.length > 0) topics.set(topic, rest)
        else topics.delete(topic)
      }
    },
  }
}
