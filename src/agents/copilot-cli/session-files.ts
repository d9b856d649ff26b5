// Finds the sessions of Copilot CLI, which has one directory for each session of any project, and waits until
// the last lines of a transcript are on disk.

import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { SessionResumer } from '../../model/agent.ts'
import type { AgentEvent } from '../../model/event.ts'
import type { Environment } from '../../std/environment.ts'
import { asObject, parseJson } from '../../std/json.ts'
import { readLastLines } from '../shared/file-tail.ts'

const transcriptName = 'events.jsonl'

export const copilotResume: SessionResumer = {
  sessionDir: (_root, env) => env.ENTIRE_TEST_COPILOT_SESSION_DIR || join(copilotHome(env), 'session-state'),
  // Where hooks have named the file, the directory already is that of the session.
  sessionFile: (dir, session) => join(dir, ...(basename(dir) === session ? [] : [session]), transcriptName),
  // As Copilot CLI itself prints it.
  command: (session) => `copilot --resume=${session}`,
}

export function copilotHome(env: Environment): string {
  return env.COPILOT_HOME || join(env.HOME || homedir(), '.copilot')
}

/** Undefined for an id that cannot be the name of a directory. */
export function transcriptOf(session: string, env: Environment): string | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(session)) return undefined
  return join(
    env.ENTIRE_TEST_COPILOT_SESSION_DIR || join(copilotHome(env), 'session-state'),
    session,
    transcriptName,
  )
}

/** The session that a transcript belongs to. */
export function copilotSessionOf(transcript: string): string | undefined {
  return basename(transcript) === transcriptName ? basename(dirname(transcript)) : undefined
}

// Copilot CLI writes its transcript late, by about 100 ms: when a short turn ends, even the file may be
// missing.
const patienceMs = 1_000
const pauseMs = 15
const tailBytes = 64 * 1024

export function readTail(transcript: string): string[] {
  return readLastLines(transcript, tailBytes)
}

/** Returns when the last lines are complete, or when waiting longer is useless. */
export async function awaitTail(transcript: string, isComplete: (lines: string[]) => boolean): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (let seen = -1; performance.now() < deadline; await Bun.sleep(pauseMs)) {
    const size = statSync(transcript, { throwIfNoEntry: false })?.size ?? -1
    if (size === seen) continue
    seen = size
    if (isComplete(readTail(transcript))) return
  }
}

/**
 * Returns when the transcript contains the hook that the event comes from, or when waiting longer is useless.
 */
export async function awaitHookRecord(transcript: string, event: AgentEvent): Promise<undefined> {
  const time = Date.parse(event.timestamp ?? '')
  // Other programs run the same hooks and do not record them.
  if (Number.isNaN(time) || copilotSessionOf(transcript) === undefined) return
  await awaitTail(transcript, (lines) => lines.some((line) => startsHook(line, time)))
}

/** The transcript repeats the payload of each hook, with its timestamp. */
function startsHook(line: string, time: number): boolean {
  if (!line.includes('"hook.start"') || !line.includes(String(time))) return false
  const entry = asObject(parseJson(line))
  return entry?.type === 'hook.start' && asObject(asObject(entry.data)?.input)?.timestamp === time
}
