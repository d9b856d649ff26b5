// A hook may keep the agent from stopping; it then goes on with the hook's reason as if the user had typed it. Only the transcript tells.
import { asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { awaitTail, readTail } from './late-lines.ts'
import { blockReason } from './typed-text.ts'

/** Undefined when nothing is missing: only right after a stop may its outcome not be written yet. */
export function awaitOutcome(transcript: string): Promise<void> | undefined {
  const isKnown = (lines: string[]) => lastTurn(lines)?.type !== 'hook.start'
  return isKnown(readTail(transcript)) ? undefined : awaitTail(transcript, isKnown)
}

/** Why the agent was not let stop, if that is what happened last. */
export function findBlockReason(transcript: string): string | undefined {
  return blockReason(lastTurn(readTail(transcript)))
}

/** The last event that tells whether the agent was stopping, stopped, or went on. */
function lastTurn(lines: string[]): JsonObject | undefined {
  for (const line of lines.toReversed()) {
    if (!/"(?:agentStop|user\.message|session\.resume)"/.test(line)) continue
    const event = asObject(parseJson(line))
    if (event === undefined || event.agentId !== undefined) continue
    const isStop = (event.type === 'hook.start' || event.type === 'hook.end') && asObject(event.data)?.hookType === 'agentStop'
    if (isStop || event.type === 'user.message' || event.type === 'session.resume') return event
  }
  return undefined
}
