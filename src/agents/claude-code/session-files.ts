// Where Claude Code keeps its transcripts.

import { readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Env, SessionResumer } from '../../model/agent.ts'
import type { AgentEvent } from '../../model/event.ts'
import { exists } from '../../std/file.ts'
import { asObject, parseJson } from '../../std/json.ts'
import { readLastLines } from '../shared/file-tail.ts'
import { asText } from '../shared/hook-table.ts'
import { messageText } from '../shared/message-text.ts'

export const claudeResume: SessionResumer = {
  sessionDir: (root, env) => env.ENTIRE_TEST_CLAUDE_PROJECT_DIR || findProjectDir(root, env),
  sessionFile: (dir, session) => join(dir, `${session}.jsonl`),
  command: (session) => `claude -r ${session}`,
}

/** Ids become parts of paths. */
export function isSafeId(id: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(id)
}

/** Older versions put the transcripts of subagents beside the main one. */
export function subagentTranscript(mainTranscript: string, subagent: string): string {
  const nested = join(mainTranscript.replace(/\.jsonl$/, ''), 'subagents', `agent-${subagent}.jsonl`)
  const beside = join(dirname(mainTranscript), `agent-${subagent}.jsonl`)
  return !exists(nested) && exists(beside) ? beside : nested
}

function findProjectDir(root: string, env: Env): string {
  const projects = join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude'), 'projects')
  const slug = root.replace(/[^A-Za-z0-9]/g, '-')
  if (slug.length <= longestSlug) return join(projects, slug)
  const cut = `${slug.slice(0, longestSlug)}-`
  return join(projects, findEntry(projects, cut) ?? `${cut}${hashOf(root)}`)
}

// A longer name is cut and gets a hash of the path. The hash is not documented: a directory that is there outranks our reckoning.
const longestSlug = 200

function findEntry(dir: string, prefix: string): string | undefined {
  const entries = exists(dir) ? readdirSync(dir).filter((entry) => entry.startsWith(prefix)) : []
  return entries.length === 1 ? entries[0] : undefined
}

function hashOf(text: string): string {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0
  return Math.abs(hash).toString(36)
}

// At the Stop hook the last lines of the transcript are often not on disk yet. They arrive while the hook runs, so it waits for them.

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
    const id = asText(asObject(entry.message)?.id)
    if (message !== undefined && id !== message) return { said, isWhole: true }
    message = id
    said = squeeze(messageText(entry) ?? '') + said
  }
  return { said, isWhole: false }
}

// Blocks of one message stand on lines of their own and are joined in the payload; only blanks differ.
function squeeze(words: string): string {
  return words.replace(/\s+/g, '')
}
