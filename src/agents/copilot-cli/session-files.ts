// Where Copilot CLI keeps its sessions: a directory each, for all projects together.
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Env, SessionResumer } from '../../model/agent.ts'

const log = 'events.jsonl'

export const copilotResume: SessionResumer = {
  sessionDir: (_root, env) => env.ENTIRE_TEST_COPILOT_SESSION_DIR || join(copilotHome(env), 'session-state'),
  // The directory may be that of the session already, where its hooks have named the file.
  sessionFile: (dir, session) => join(dir, ...(basename(dir) === session ? [] : [session]), log),
  // As Copilot CLI itself prints it.
  command: (session) => `copilot --resume=${session}`,
}

export function copilotHome(env: Env): string {
  return env.COPILOT_HOME || join(env.HOME || homedir(), '.copilot')
}

/** Undefined for an id that cannot be the name of a directory. */
export function transcriptOf(session: string, env: Env): string | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(session)) return undefined
  return join(env.ENTIRE_TEST_COPILOT_SESSION_DIR || join(copilotHome(env), 'session-state'), session, log)
}

/** The session a transcript belongs to. */
export function sessionOf(transcript: string): string | undefined {
  return basename(transcript) === log ? basename(dirname(transcript)) : undefined
}
