// Where Claude Code keeps its transcripts.
import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Env, SessionResumer } from '../../model/agent.ts'
import { exists } from '../../std/file.ts'

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
