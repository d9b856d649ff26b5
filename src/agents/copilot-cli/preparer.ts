// What a turn did is read from the transcript once it tells of the hook that ends the turn.
import type { AgentEvent } from '../../model/event.ts'
import { asObject, parseJson } from '../../std/json.ts'
import { awaitTail } from './late-lines.ts'
import { sessionOf } from './session-files.ts'

/** Returns when the transcript tells of the hook that the event comes from, or when waiting longer is useless. */
export async function prepareTranscript(transcript: string, event: AgentEvent): Promise<undefined> {
  const time = Date.parse(event.timestamp ?? '')
  // Other programs run the same hooks, and keep no record of them.
  if (Number.isNaN(time) || sessionOf(transcript) === undefined) return
  await awaitTail(transcript, (lines) => lines.some((line) => startsHook(line, time)))
}

/** The transcript repeats what a hook is told; the time in there is that of the payload. */
function startsHook(line: string, time: number): boolean {
  if (!line.includes('"hook.start"') || !line.includes(String(time))) return false
  const entry = asObject(parseJson(line))
  return entry?.type === 'hook.start' && asObject(asObject(entry.data)?.input)?.timestamp === time
}
