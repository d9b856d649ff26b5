// Where Cursor keeps its transcripts: the editor gives each conversation a directory, the command line only a file.
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Env, SessionResumer } from '../../model/agent.ts'
import { exists } from '../../std/file.ts'

export const cursorResume = {
  sessionDir: (root, env) =>
    env.ENTIRE_TEST_CURSOR_PROJECT_DIR ||
    join(env.HOME || homedir(), '.cursor', 'projects', root.replace(/^\/+/, '').replace(/[^A-Za-z0-9]/g, '-'), 'agent-transcripts'),
  sessionFile: (dir, session) => join(dir, ...(exists(join(dir, session)) ? [session] : []), `${session}.jsonl`),
  command: () => 'Open this project in Cursor.',
} satisfies SessionResumer

/** Where the transcript of a session is to be, for hooks that do not say. */
export function predictTranscript(root: string | undefined, session: string | undefined, env: Env): string | undefined {
  if (root === undefined || session === undefined || !/^[A-Za-z0-9_-]+$/.test(session)) return undefined
  return cursorResume.sessionFile(cursorResume.sessionDir(root, env), session)
}
