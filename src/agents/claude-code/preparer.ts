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
    if (saidLast(transcript, file.size) === expected) return
  }
}

/** What the assistant said last, from the smallest part of the file that shows it. */
function saidLast(transcript: string, size: number): string | undefined {
  for (const bytes of windows) {
    const said = lastSaid(readLastLines(transcript, bytes))
    if (said !== undefined || bytes >= size) return said
  }
  return undefined
}

/** What the assistant said after the last entry of the user; undefined when neither is in sight. */
function lastSaid(lines: string[]): string | undefined {
  let said = ''
  let message: string | undefined
  for (const line of lines.reverse()) {
    if (!/"type":\s*"(?:user|assistant)"/.test(line)) continue
    const entry = asObject(parseJson(line))
    if (entry?.type === 'user' && entry.isMeta !== true) return said
    if (entry?.type !== 'assistant') continue
    const id = text(asObject(entry.message)?.id)
    if (message !== undefined && id !== message) return said
    message = id
    said = squeeze(textOf(entry) ?? '') + said
  }
  return message === undefined ? undefined : said
}

// Blocks of one message stand on lines of their own and are joined in the payload; only blanks differ.
function squeeze(words: string): string {
  return words.replace(/\s+/g, '')
}
