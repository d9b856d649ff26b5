// Cursor may report the end of a turn before it has written the first line of its transcript.
import { dirname } from 'node:path'
import { exists, fileSize } from '../../std/file.ts'

const patienceMs = 5_000
const pauseMs = 50

/** Returns when the transcript has something in it. Where Cursor keeps no transcripts of the project there is nothing to wait for. */
export async function prepareTranscript(transcript: string): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!fileSize(transcript) && performance.now() < deadline) {
    if (!exists(dirname(dirname(transcript)))) return
    await Bun.sleep(pauseMs)
  }
}
