// Keeps who listens to which topic. The host is asked once per topic and cannot be asked to stop.

import { messageOf } from '../../std/errors.ts'

type Listener = (data: unknown, topic: string) => unknown

interface Topic {
  listeners: Set<Listener>
  subscribed?: Promise<unknown>
}

export class Subscriptions {
  readonly #topics = new Map<string, Topic>()
  readonly #onError: (message: string) => void

  constructor(onError: (message: string) => void) {
    this.#onError = onError
  }

  /** Returns a function that removes the listener. */
  async add(topic: string, listener: Listener, subscribe: () => Promise<unknown>): Promise<() => void> {
    const entry: Topic = this.#topics.get(topic) ?? { listeners: new Set() }
    this.#topics.set(topic, entry)
    // Before the host is asked, because the first event may arrive together with its answer.
    entry.listeners.add(listener)
    try {
      entry.subscribed ??= subscribe()
      await entry.subscribed
    } catch (error) {
      this.#topics.delete(topic)
      throw error
    }
    return () => void entry.listeners.delete(listener)
  }

  /** Calls every listener of the topic, also after one of them has failed. */
  hear(topic: string, data: unknown): void {
    for (const listener of this.#topics.get(topic)?.listeners ?? []) {
      Promise.resolve()
        .then(() => listener(data, topic))
        .catch((error) => this.#onError(`listener of ${topic}: ${messageOf(error)}`))
    }
  }
}
