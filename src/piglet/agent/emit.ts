// How an agent tells what it does.
import type { EventData, EventName } from '../../protocol/extension/events.ts'

export type Emit = <Name extends EventName>(type: Name, data: EventData<Name>) => void
