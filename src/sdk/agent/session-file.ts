// Sessions of agents that keep one file each: the file is the transcript.

import { Buffer } from 'node:buffer'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import process from 'node:process'
import type { Answer } from '../../protocol/external-agent/table.ts'
import type { AgentDefinition, AgentSession, Context, HookInput } from './definition.ts'
import { PluginError } from './plugin-error.ts'
import { addCounts, type Reading, rawTranscript, type TokenTotal } from './transcripts.ts'

/** More would not fit through the pipe as base64, with room for the rest. */
const maxNativeBytes = 6 * 1024 * 1024

/** The bytes of a file; undefined when there is none. */
export function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as { code?: string }).code ?? '')) return undefined
    throw error
  }
}

export function sessionFile(agent: AgentDefinition, dir: string, session: string): string {
  const file = agent.sessions.file(dir, session)
  // An id comes from outside; one with `..` in it must not lead out of the directory.
  if (session === '' || !isInside(dir, file))
    throw new PluginError(`${JSON.stringify(session)} is not a session id`)
  return file
}

export function readSession(agent: AgentDefinition, input: HookInput, context: Context): AgentSession {
  const path =
    input.session_ref || sessionFile(agent, agent.sessions.dir(context.repoRoot, context), input.session_id)
  const bytes = readIfThere(path)
  const transcript = agent.transcript ?? rawTranscript
  return {
    session_id: input.session_id,
    agent_name: agent.name,
    repo_path: context.repoRoot,
    session_ref: path,
    start_time: input.timestamp,
    native_data: bytes === undefined || bytes.length > maxNativeBytes ? null : bytes.toString('base64'),
    modified_files: bytes === undefined || !transcript.analyses ? [] : transcript.read(bytes, 0).files,
    new_files: [],
    deleted_files: [],
  }
}

export function writeSession(agent: AgentDefinition, session: AgentSession, context: Context): void {
  const dir = agent.sessions.dir(session.repo_path || context.repoRoot, context)
  const path = findPlace(agent, session, dir)
  if (session.native_data === undefined || session.native_data === null) return
  mkdirSync(dirname(path), { recursive: true })
  // The agent may be reading: it sees the old file or the new one, never half of it.
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, Buffer.from(session.native_data, 'base64'), { mode: 0o600 })
  renameSync(temporary, path)
}

function findPlace(agent: AgentDefinition, session: AgentSession, dir: string): string {
  if (session.session_ref === '') return sessionFile(agent, dir, session.session_id)
  const path = isAbsolute(session.session_ref) ? session.session_ref : join(dir, session.session_ref)
  if (!isInside(dir, path))
    throw new PluginError(`${session.session_ref} is outside of ${dir}, where sessions are kept`)
  return path
}

function isInside(dir: string, path: string): boolean {
  const way = relative(resolve(dir), resolve(dir, path))
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

// Reads the transcripts of subagents beside that of the agent, and puts the counts of both into the form of the wire.

export async function readSubagents(
  agent: AgentDefinition,
  dir: string,
  context: Context,
): Promise<Reading[]> {
  const paths = (await agent.subagentTranscripts?.(dir, context)) ?? []
  return paths.flatMap((path) => {
    const bytes = readIfThere(path)
    return bytes === undefined ? [] : [(agent.transcript ?? rawTranscript).read(bytes, 0)]
  })
}

export function formatTokens(
  main: TokenTotal,
  subagents: TokenTotal[] = [],
): NonNullable<Answer<'calculate-tokens'>> {
  const others = addCounts(subagents)
  return { ...wire(main), ...(others.calls === 0 ? {} : { subagent_tokens: wire(others) }) }
}

function wire(total: TokenTotal) {
  return {
    input_tokens: total.input,
    output_tokens: total.output,
    cache_creation_tokens: total.cacheCreation,
    cache_read_tokens: total.cacheRead,
    api_call_count: total.calls,
  }
}
