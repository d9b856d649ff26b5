// Reads and writes the session of an agent that keeps one file per session, the transcript.

import { Buffer } from 'node:buffer'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import process from 'node:process'
import type { SubcommandAnswer } from '../../protocol/external-agent/table.ts'
import { invalidValue } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import type { AgentContext, AgentDefinition, AgentSession, HookInput } from './definition.ts'
import { escapeName, PluginError, pluginError } from './definition.ts'
import { addCounts, type Reading, rawTranscript, type TokenTotal } from './transcripts.ts'

/** A larger transcript would exceed the limit of an answer as base64. */
const maxNativeBytes = 6 * 1024 * 1024

/** The bytes of a file; undefined when it does not exist. */
export function readIfPresent(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as { code?: string }).code ?? '')) return undefined
    throw error
  }
}

export function sessionPath(agent: AgentDefinition, dir: string, session: string): string {
  const file = agent.sessions.file(dir, session)
  // Ids come from outside: one with `..` in it must not lead out of the directory.
  if (session === '' || !isInside(dir, file))
    throw pluginError(invalidValue(escapeName(session), 'a session id'))
  return file
}

export function readFileSession(
  agent: AgentDefinition,
  input: HookInput,
  context: AgentContext,
): AgentSession {
  const path =
    input.session_ref || sessionPath(agent, agent.sessions.dir(context.repoRoot, context), input.session_id)
  const bytes = readIfPresent(path)
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

export function writeFileSession(agent: AgentDefinition, session: AgentSession, context: AgentContext): void {
  const dir = agent.sessions.dir(session.repo_path || context.repoRoot, context)
  const path = pathToWrite(agent, session, dir)
  if (session.native_data === undefined || session.native_data === null) return
  mkdirSync(dirname(path), { recursive: true })
  // By a rename, because the agent may be reading the file.
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, Buffer.from(session.native_data, 'base64'), { mode: 0o600 })
  renameSync(temporary, path)
}

function pathToWrite(agent: AgentDefinition, session: AgentSession, dir: string): string {
  if (session.session_ref === '') return sessionPath(agent, dir, session.session_id)
  const path = isAbsolute(session.session_ref) ? session.session_ref : join(dir, session.session_ref)
  if (!isInside(dir, path))
    throw new PluginError(`${session.session_ref} is outside of ${dir}, the directory of sessions`)
  return path
}

function isInside(dir: string, path: string): boolean {
  const way = relative(resolve(dir), resolve(dir, path))
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

export async function readSubagents(
  agent: AgentDefinition,
  dir: string,
  context: AgentContext,
): Promise<Reading[]> {
  const paths = (await agent.subagentTranscripts?.(dir, context)) ?? []
  return paths.flatMap((path) => {
    const bytes = readIfPresent(path)
    return bytes === undefined ? [] : [(agent.transcript ?? rawTranscript).read(bytes, 0)]
  })
}

export function formatTokenTotals(
  main: TokenTotal,
  subagents: TokenTotal[] = [],
): NonNullable<SubcommandAnswer<'calculate-tokens'>> {
  const others = addCounts(subagents)
  return {
    ...formatTotal(main),
    ...given({ subagent_tokens: others.calls === 0 ? undefined : formatTotal(others) }),
  }
}

function formatTotal(total: TokenTotal) {
  return {
    input_tokens: total.input,
    output_tokens: total.output,
    cache_creation_tokens: total.cacheCreation,
    cache_read_tokens: total.cacheRead,
    api_call_count: total.calls,
  }
}
