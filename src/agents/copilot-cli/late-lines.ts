// Copilot CLI writes its transcript a moment late: when a short turn ends, even the file may be missing. It arrives while the hook runs.
import { statSync } from 'node:fs'
import { readLastLines } from '../file-tail.ts'

// It was seen to take 100 ms.
const patienceMs = 1_000
const pauseMs = 15
const tailBytes = 64 * 1024

export function readTail(transcript: string): string[] {
  return readLastLines(transcript, tailBytes)
}

/** Returns when the last lines are what is waited for, or when waiting longer is useless. */
export async function awaitTail(transcript: string, isComplete: (lines: string[]) => boolean): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (let seen = -1; performance.now() < deadline; await Bun.sleep(pauseMs)) {
    const size = statSync(transcript, { throwIfNoEntry: false })?.size ?? -1
    if (size === seen) continue
    seen = size
    if (isComplete(readTail(transcript))) return
  }
}
