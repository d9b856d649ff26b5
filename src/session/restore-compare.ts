// Which of two copies of a log is the newer one: by the times in them, or without any by their contents.
import { closeSync, openSync } from 'node:fs'
import type { StoredSession } from '../checkpoints/read.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { Agent } from '../model/agent.ts'
import { fileSize } from '../std/file.ts'
import { readRange } from '../std/file-range.ts'
import { copyTranscript } from './restore-transcript.ts'

/** Of a stored log, against the one that is in its place. */
export type LogState = 'new' | 'unchanged' | 'checkpoint-newer' | 'local-newer'

interface ComparedLog {
  session: StoredSession
  agent: Agent
  path: string
}

export function compareTimes(local: Date | undefined, stored: Date | undefined): LogState {
  if (local === undefined || stored === undefined) return 'new'
  if (local.getTime() === stored.getTime()) return 'unchanged'
  return local.getTime() > stored.getTime() ? 'local-newer' : 'checkpoint-newer'
}

// One that begins with the other went on. Of two that have become different the longer one is taken for the newer, so that nobody's work
// is replaced unasked.
export async function compareContents(objects: ObjectReader, log: ComparedLog): Promise<LogState> {
  const size = fileSize(log.path)
  if (size === undefined) return 'new'
  const fd = openSync(log.path, 'r')
  let stored = 0
  let isSame = true
  try {
    await copyTranscript(objects, log, (bytes) => {
      const local = isSame ? readRange(fd, stored, Math.min(bytes.length, Math.max(0, size - stored))) : undefined
      isSame = local?.equals(bytes.subarray(0, local.length)) === true
      stored += bytes.length
    })
  } finally {
    closeSync(fd)
  }
  if (isSame && stored === size) return 'unchanged'
  return size > stored ? 'local-newer' : 'checkpoint-newer'
}
