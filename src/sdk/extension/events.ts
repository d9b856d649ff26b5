// What the agent does, typed for those who listen.
import type { InferOutput } from 'valibot'
import { type EventName, events } from '../../protocol/extension-events.ts'
import { parseParams } from './parse-params.ts'

export type EventPayload<Name extends EventName> = InferOutput<(typeof events)[Name]['data']>

/** The event of a name; of several names, one of them. */
export type EventOf<Name extends EventName> = { [One in Name]: { type: One; data: EventPayload<One> } }[Name]

/** An event that is newer than this kit is passed on as it is. */
export function decodeEvent(type: string, data: unknown): EventOf<EventName> {
  if (!Object.hasOwn(events, type)) return { type, data } as EventOf<EventName>
  return { type, data: parseParams(events[type as EventName].data, data ?? {}, type) } as EventOf<EventName>
}
