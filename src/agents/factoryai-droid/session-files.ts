// Where Droid keeps its sessions.
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { SessionResumer } from '../../model/agent.ts'

export const droidResume: SessionResumer = {
  // Named after the project's path: slashes become dashes, everything else stays.
  sessionDir: (root, env) =>
    env.ENTIRE_TEST_DROID_PROJECT_DIR ||
    join(env.FACTORY_HOME_OVERRIDE || env.HOME || homedir(), '.factory', 'sessions', root.replace(/[/\\]/g, '-')),
  sessionFile: (dir, session) => join(dir, `${session}.jsonl`),
  command: (session) => `droid --session-id ${session}`,
}
