// Delivers events to extensions: those of the agent through one queue for each extension, and those that
// extensions publish to each other through a bus of topics.

import type { EventName } from '../protocol/extension/events.ts'
import { messageOf } from '../std/errors.ts'
import { asObject, asString } from '../std/json.ts'
import { type ExtensionAction, parseAction } from './action.ts'
import type { LiveExtension } from './live-extension.ts'

export interface QueuedEvent {
  type: EventName
  data: Record<string, unknown>
}

export interface EventQueueOptions {
  /** The extension that receives the events, if it runs. */
  find(): LiveExtension | undefined
  /** Does what the extension asks for in its answer. */
  act(action: ExtensionAction): void
  log(message: string): void
}

const maxQueued = 256

/**
 * The events for one extension, delivered one after the other. The agent never waits for them: when the
 * extension is too slow, pieces of a stream are merged, and events over the limit are dropped.
 */
export class EventQueue {
  readonly #options: EventQueueOptions
  readonly #waiting: QueuedEvent[] = []
  #delivering: Promise<void> | undefined

  constructor(options: EventQueueOptions) {
    this.#options = options
  }

  push(event: QueuedEvent): void {
    const last = this.#waiting.at(-1)
    const merged = last && mergeDeltas(last, event)
    if (merged) this.#waiting[this.#waiting.length - 1] = merged
    else this.#waiting.push(event)
    if (this.#waiting.length > maxQueued) this.#dropOne()
    this.#delivering ??= this.#deliver()
  }

  /** Settles when everything pushed so far has been delivered. */
  async idle(): Promise<void> {
    while (this.#delivering) await this.#delivering
  }

  async #deliver(): Promise<void> {
    // Waits until `push` has noted that delivery has begun; otherwise it would never be noted that it has
    // ended.
    await Promise.resolve()
    for (let event = this.#waiting.shift(); event; event = this.#waiting.shift()) {
      const live = this.#options.find()
      if (!live) continue
      try {
        const answer = await live.request('event/dispatch', { ...event })
        const action = parseAction(answer.action)
        if (action) this.#options.act(action)
      } catch (error) {
        this.#options.log(`${event.type}: ${messageOf(error)}`)
      }
    }
    this.#delivering = undefined
  }

  // The pieces of an answer go first, because the whole answer follows.
  #dropOne(): void {
    const delta = this.#waiting.findIndex(({ type }) => type === 'EventStreamDelta')
    const [dropped] = this.#waiting.splice(Math.max(delta, 0), 1)
    this.#options.log(`${dropped?.type} dropped: ${maxQueued} events wait`)
  }
}

/** Merges two pieces of the same text into one. */
function mergeDeltas(a: QueuedEvent, b: QueuedEvent): QueuedEvent | undefined {
  if (a.type !== 'EventStreamDelta' || b.type !== 'EventStreamDelta') return undefined
  const [first, second] = [asObject(a.data), asObject(b.data)]
  if (first?.Kind !== second?.Kind || first?.Index !== second?.Index) return undefined
  return {
    type: b.type,
    data: { ...b.data, Delta: `${asString(first?.Delta) ?? ''}${asString(second?.Delta) ?? ''}` },
  }
}

type Subscriber = Pick<LiveExtension, 'manifest' | 'nextId' | 'tell'>

/**
 * Topics by which extensions talk to each other. Every subscriber receives an event, the publisher included.
 */
export class EventBus {
  readonly #topics = new Map<string, { id: number; subscriber: Subscriber }[]>()

  subscribe(topic: string, subscriber: Subscriber): number {
    const id = subscriber.nextId()
    this.#topics.set(topic, [...(this.#topics.get(topic) ?? []), { id, subscriber }])
    return id
  }

  publish(topic: string, data: unknown): void {
    for (const { id, subscriber } of this.#topics.get(topic) ?? [])
      subscriber.tell('eventBus/event', { topic, subscriptionId: id, data })
  }

  /** Ends the subscriptions of a process that is gone. */
  forget(gone: Subscriber): void {
    for (const [topic, subscriptions] of this.#topics) {
      const rest = subscriptions.filter(({ subscriber }) => subscriber !== gone)
      if (rest.length > 0) this.#topics.set(topic, rest)
      else this.#topics.delete(topic)
    }
  }
}
