// At the Stop hook the last lines of the transcript are often not on disk yet. They arrive while the hook runs, so it waits for them.
import { statSync } from 'node:fs'
import type { AgentEvent } from '../../model/event.ts'
import { asObject, parseJson } from '../../std/json.ts'
import { readLastLines } from '../file-tail.ts'
import { text } from '../hook-table.ts'
import { textOf } from './content.ts'

const patienceMs = 1_000
const pauseMs = 15
// Nobody is writing to a file this old.
const staleMs = 120_000
const windows = [8 * 1024, 64 * 1024, 1024 * 1024, 16 * 1024 * 1024]

/** Returns when the transcript ends with the event's last message, or when waiting longer is useless. */
export async function prepareTranscript(transcript: string, event: AgentEvent): Promise<undefined> {
  const expected = squeeze(event.lastMessage ?? '')
  if (expected === '') return
  // The last message of a subagent is in its own transcript, not in the main one.
  if (event.subagentTranscript !== undefined && event.subagentTranscript !== transcript) return
  const deadline = performance.now() + patienceMs
  for (let seen = -1; performance.now() < deadline; await Bun.sleep(pauseMs)) {
    const file = statSync(transcript, { throwIfNoEntry: false })
    if (!file || Date.now() - file.mtimeMs > staleMs) return
    if (file.size === seen) continue
    seen = file.size
    if (endsWith(transcript, file.size, expected)) return
  }
}

/** Whether it ends with these words: looks at no more of the file than it takes to see where its last message begins. */
function endsWith(transcript: string, size: number, expected: string): boolean {
  for (const bytes of windows) {
    const { said, isWhole } = lastSaid(readLastLines(transcript, bytes))
    if (said === expected) return true
    if (isWhole || bytes >= size) return false
  }
  return false
}

/** What the assistant said after the last entry of the user, as far as it is in sight. */
function lastSaid(lines: string[]): { said: string; isWhole: boolean } {
  let said = ''
  let message: string | undefined
  for (const line of lines.reverse()) {
    if (!/"type":\s*"(?:user|assistant)"/.test(line)) continue
    const entry = asObject(parseJson(line))
    if (entry?.type === 'user' && entry.isMeta !== true) return { said, isWhole: true }
    if (entry?.type !== 'assistant') continue
    const id = text(asObject(entry.message)?.id)
    if (message !== undefined && id !== message) return { said, isWhole: true }
    message = id
    said = squeeze(textOf(entry) ?? '') + said
  }
  return { said, isWhole: false }
}

// Blocks of one message stand on lines of their own and are joined in the payload; only blanks differ.
function squeeze(words: string): string {
  return words.replace(/\s+/g, '')
}
