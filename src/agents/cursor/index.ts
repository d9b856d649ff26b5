// Defines Cursor, the editor and its command line, as an agent, and finds its transcripts.

import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Agent, SessionResumer } from '../../model/agent.ts'
import type { EventMetadata } from '../../model/event.ts'
import type { Environment } from '../../std/environment.ts'
import { exists, fileSize, findStat } from '../../std/file.ts'
import type { JsonObject } from '../../std/json.ts'
import { cursorCard } from '../cards.ts'
import { asText, hookParser, lazyInstaller } from '../shared/hook-table.ts'
import { claudeVerbs, cursorHooks, workspaceOf } from './hooks.ts'
import { cursorTranscript } from './transcript.ts'

/** The editor gives each conversation a directory, the command line only a file. */
export const cursorResume = {
  sessionDir: (root, env) =>
    env.ENTIRE_TEST_CURSOR_PROJECT_DIR ||
    join(
      env.HOME || homedir(),
      '.cursor',
      'projects',
      root.replace(/^\/+/, '').replace(/[^A-Za-z0-9]/g, '-'),
      'agent-transcripts',
    ),
  sessionFile: (dir, session) =>
    join(dir, ...(exists(join(dir, session)) ? [session] : []), `${session}.jsonl`),
  command: () => 'Open this project in Cursor.',
} satisfies SessionResumer

export const cursor = {
  ...cursorCard,
  description: 'Cursor - AI-powered code editor',
  protectedDirs: ['.cursor'],
  detect: (root) => exists(join(root, '.cursor')),
  hookNames: Object.keys(cursorHooks),
  parseHook: hookParser('cursor', cursorHooks, cursorFields),
  projectDir,
  transcript: cursorTranscript,
  preparer: { prepare: (path, _event, remembered) => awaitTranscript(path, remembered()?.transcript) },
  installer: lazyInstaller('.cursor/hooks.json', async () => (await import('./install.ts')).cursorInstaller),
  resume: cursorResume,
  borrowed: { ...cursorCard.borrows, verbs: claudeVerbs },
} satisfies Agent

// The editor names the transcript; the command line has `null` there.
function cursorFields(payload: JsonObject, env: Environment) {
  const session = asText(payload.conversation_id) ?? asText(payload.session_id)
  const named = asText(payload.transcript_path) ?? asText(env.CURSOR_TRANSCRIPT_PATH)
  return { session, transcript: named ?? predictTranscript(projectDir(payload, env), session, env) }
}

function projectDir(payload: JsonObject, env: Environment): string | undefined {
  return asText(env.CURSOR_PROJECT_DIR) ?? workspaceOf(payload) ?? asText(payload.cwd)
}

/** Where Cursor will write the transcript of a session, for hooks that do not say. */
export function predictTranscript(
  root: string | undefined,
  session: string | undefined,
  env: Environment,
): string | undefined {
  if (root === undefined || session === undefined || !/^[A-Za-z0-9_-]+$/.test(session)) return undefined
  return cursorResume.sessionFile(cursorResume.sessionDir(root, env), session)
}

const pauseMs = 50
const missing = { transcript: 'missing' }

/**
 * Returns when the transcript has content: Cursor may report the end of a turn before it has written the
 * first line. Does not wait where Cursor keeps no transcripts of the project, nor again for a session whose
 * transcript did not appear.
 */
export async function awaitTranscript(
  transcript: string,
  remembered: unknown,
  patienceMs = 5_000,
): Promise<EventMetadata | undefined> {
  const deadline = performance.now() + (remembered === missing.transcript ? 0 : patienceMs)
  while (!fileSize(transcript)) {
    if (findStat(transcript)?.isFile() === false) return missing
    if (!exists(dirname(dirname(transcript)))) return undefined
    if (performance.now() >= deadline) return missing
    await Bun.sleep(pauseMs)
  }
  return undefined
}
