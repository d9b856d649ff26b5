// Finds the transcripts of Claude Code, and waits until the last lines of one are on disk.

import { readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { SessionResumer } from '../../model/agent.ts'
import type { AgentEvent } from '../../model/event.ts'
import type { Environment } from '../../std/environment.ts'
import { exists } from '../../std/file.ts'
import { asObject, parseJson } from '../../std/json.ts'
import { readLastLines } from '../shared/file-tail.ts'
import { asText } from '../shared/hook-table.ts'
import { entryText } from '../shared/message-text.ts'

export const claudeResume: SessionResumer = {
  sessionDir: (root, env) => env.ENTIRE_TEST_CLAUDE_PROJECT_DIR || findProjectDir(root, env),
  sessionDirsBelow: (root, env) => findDirsBelow(projectsDir(env), slugOf(root)),
  sessionFile: (dir, session) => join(dir, `${session}.jsonl`),
  command: (session) => `claude -r ${session}`,
}

/** Ids become parts of paths. */
export function isSafeId(id: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(id)
}

/** Below the main transcript; older versions put it beside the main transcript. */
export function claudeSubagentTranscript(mainTranscript: string, subagent: string): string {
  const nested = join(mainTranscript.replace(/\.jsonl$/, ''), 'subagents', `agent-${subagent}.jsonl`)
  const beside = join(dirname(mainTranscript), `agent-${subagent}.jsonl`)
  return !exists(nested) && exists(beside) ? beside : nested
}

// A longer name is cut and gets a hash of the path. The hash is undocumented: an existing directory is
// preferred to the computed one.
const longestSlug = 200

function findProjectDir(root: string, env: Environment): string {
  const projects = projectsDir(env)
  const slug = slugOf(root)
  if (slug.length <= longestSlug) return join(projects, slug)
  const cut = `${slug.slice(0, longestSlug)}-`
  return join(projects, findEntry(projects, cut) ?? `${cut}${hashOf(root)}`)
}

function projectsDir(env: Environment): string {
  return join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude'), 'projects')
}

function slugOf(path: string): string {
  return path.replace(/[^A-Za-z0-9]/g, '-')
}

// Directories beside the root may have such names, too: the sessions in them say where they were started.
function findDirsBelow(projects: string, slug: string): string[] {
  if (slug.length > longestSlug || !exists(projects)) return []
  return readdirSync(projects).flatMap((name) => (name.startsWith(`${slug}-`) ? join(projects, name) : []))
}

function findEntry(dir: string, prefix: string): string | undefined {
  const entries = exists(dir) ? readdirSync(dir).filter((entry) => entry.startsWith(prefix)) : []
  return entries.length === 1 ? entries[0] : undefined
}

function hashOf(text: string): string {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0
  return Math.abs(hash).toString(36)
}

const patienceMs = 1_000
const pauseMs = 15
// A file this old is no longer being written.
const staleMs = 120_000
// How much of the end of the file is searched for its last message: more with each try.
const windows = [8 * 1024, 64 * 1024, 1024 * 1024, 16 * 1024 * 1024]

/**
 * Returns when the transcript ends with the last message of the event, or when waiting longer is useless. At
 * the Stop hook the last lines are often not on disk yet; they arrive while the hook runs.
 */
export async function awaitLastMessage(transcript: string, event: AgentEvent): Promise<undefined> {
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

/** Whether the transcript ends with this message. Reads no more of the file than its last message needs. */
function endsWith(transcript: string, size: number, expected: string): boolean {
  for (const bytes of windows) {
    const { text, isWhole } = lastMessage(readLastLines(transcript, bytes))
    if (text === expected) return true
    if (isWhole || bytes >= size) return false
  }
  return false
}

/** The last message of the assistant, as much of it as is in these lines. */
function lastMessage(lines: string[]): { text: string; isWhole: boolean } {
  let text = ''
  let messageId: string | undefined
  for (const line of lines.reverse()) {
    if (!/"type":\s*"(?:user|assistant)"/.test(line)) continue
    const entry = asObject(parseJson(line))
    if (entry?.type === 'user' && entry.isMeta !== true) return { text, isWhole: true }
    if (entry?.type !== 'assistant') continue
    const id = asText(asObject(entry.message)?.id)
    if (messageId !== undefined && id !== messageId) return { text, isWhole: true }
    messageId = id
    text = squeeze(entryText(entry) ?? '') + text
  }
  return { text, isWhole: false }
}

// Each block of a message has its own line, and the payload has them joined: they differ only in white space.
function squeeze(text: string): string {
  return text.replace(/\s+/g, '')
}
