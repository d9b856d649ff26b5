// Cursor may report the end of a turn before it has written the first line of its transcript.
import { dirname } from 'node:path'
import type { EventMetadata } from '../../model/event.ts'
import { exists, fileSize } from '../../std/file.ts'

const pauseMs = 50
const missing = { transcript: 'missing' }

/**
 * Returns when the transcript has something in it. Where Cursor keeps no transcripts of the project there is nothing to wait for, and a
 * session that was waited for in vain is not waited for again.
 */
export async function prepareTranscript(transcript: string, remembered: unknown, patienceMs = 5_000): Promise<EventMetadata | undefined> {
  const deadline = performance.now() + (remembered === missing.transcript ? 0 : patienceMs)
  while (!fileSize(transcript)) {
    if (!exists(dirname(dirname(transcript)))) return undefined
    if (performance.now() >= deadline) return missing
    await Bun.sleep(pauseMs)
  }
  return undefined
}
