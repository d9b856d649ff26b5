// Events for one extension, one after the other. The agent never waits: what an extension is too slow for is put together or left out.
import type { EventName } from '../protocol/extension/events.ts'
import { messageOf } from '../std/errors.ts'
import { asObject, asString } from '../std/json.ts'
import { type ExtensionAction, parseAction } from './action.ts'
import type { LiveExtension } from './live-extension.ts'

export interface QueuedEvent {
  type: EventName
  data: Record<string, unknown>
}

const limit = 256

export interface EventQueue {
  push(event: QueuedEvent): void
  /** Settles when everything that was pushed so far has been heard. */
  idle(): Promise<void>
}

export function createEventQueue(
  find: () => LiveExtension | undefined,
  act: (action: ExtensionAction) => void,
  log: (message: string) => void,
): EventQueue {
  const waiting: QueuedEvent[] = []
  let working: Promise<void> | undefined

  async function work(): Promise<void> {
    // Never done before it is known to have begun: otherwise it would count as at work for ever.
    await Promise.resolve()
    for (let event = waiting.shift(); event; event = waiting.shift()) {
      const live = find()
      if (!live) continue
      try {
        const { action } = await live.request('event/dispatch', { ...event })
        const wanted = parseAction(action)
        if (wanted) act(wanted)
      } catch (error) {
        log(`${event.type}: ${messageOf(error)}`)
      }
    }
    working = undefined
  }
  return {
    push(event) {
      const last = waiting.at(-1)
      const merged = last && mergeDeltas(last, event)
      if (merged) waiting[waiting.length - 1] = merged
      else waiting.push(event)
      if (waiting.length > limit) {
        // Pieces of an answer can be spared: the whole of it follows.
        const spare = waiting.findIndex(({ type }) => type === 'EventStreamDelta')
        const [lost] = waiting.splice(Math.max(spare, 0), 1)
        log(`${lost?.type} left out: ${limit} events wait`)
      }
      working ??= work()
    },
    idle: async () => {
      while (working) await working
    },
  }
}

/** Two pieces of one text are one longer piece. */
function mergeDeltas(a: QueuedEvent, b: QueuedEvent): QueuedEvent | undefined {
  if (a.type !== 'EventStreamDelta' || b.type !== 'EventStreamDelta') return undefined
  const [first, second] = [asObject(a.data), asObject(b.data)]
  if (first?.Kind !== second?.Kind || first?.Index !== second?.Index) return undefined
  return {
    type: b.type,
    data: { ...b.data, Delta: `${asString(first?.Delta) ?? ''}${asString(second?.Delta) ?? ''}` },
  }
}

// Extensions talk to each other by topics. Whoever subscribed hears of it, the one who published as well.

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
      topics.set(topic, [
        ...(topics.get(topic) ?? []),
        { id, extension: live.manifest.name, tell: live.tell },
      ])
      return id
    },
    publish(topic: string, data: unknown): void {
      for (const { id, tell } of topics.get(topic) ?? [])
        tell('eventBus/event', { topic, subscriptionId: id, data })
    },
    /** A process that is gone hears of nothing any more. */
    forget(extension: string, tell?: LiveExtension['tell']): void {
      for (const [topic, list] of topics) {
        const rest = list.filter(
          (one) => one.extension !== extension || (tell !== undefined && one.tell !== tell),
        )
        if (rest.length > 0) topics.set(topic, rest)
        else topics.delete(topic)
      }
    },
  }
}
