// Cursor, the editor and its command line, as an agent.
import { join } from 'node:path'
import type { Agent, Env } from '../../model/agent.ts'
import { exists } from '../../std/file.ts'
import type { JsonObject } from '../../std/json.ts'
import { cursorCard } from '../cards.ts'
import { parseWithTable, text } from '../hook-table.ts'
import { lazyInstaller } from '../lazy-installer.ts'
import { claudeVerbs, cursorHooks, workspaceOf } from './hooks.ts'
import { prepareTranscript } from './preparer.ts'
import { cursorResume, predictTranscript } from './session-files.ts'
import { cursorTranscript } from './transcript.ts'

export const cursor = {
  ...cursorCard,
  description: 'Cursor - AI-powered code editor',
  protectedDirs: ['.cursor'],
  detect: (root) => exists(join(root, '.cursor')),
  hookNames: Object.keys(cursorHooks),
  parseHook: (verb, payload, env) => parseWithTable('cursor', cursorHooks, verb, payload, env, (fields) => baseOf(fields, env)),
  projectDir,
  transcript: cursorTranscript,
  preparer: { prepare: (path, _event, remembered) => prepareTranscript(path, remembered()?.transcript) },
  installer: lazyInstaller('.cursor/hooks.json', async () => (await import('./install.ts')).cursorInstaller),
  resume: cursorResume,
  borrowed: { ...cursorCard.borrows, verbs: claudeVerbs },
} satisfies Agent

// The command line says `null` where the editor names the transcript.
function baseOf(payload: JsonObject, env: Env) {
  const session = text(payload.conversation_id) ?? text(payload.session_id)
  const named = text(payload.transcript_path) ?? text(env.CURSOR_TRANSCRIPT_PATH)
  return { session, transcript: named ?? predictTranscript(projectDir(payload, env), session, env) }
}

function projectDir(payload: JsonObject, env: Env): string | undefined {
  return text(env.CURSOR_PROJECT_DIR) ?? workspaceOf(payload) ?? text(payload.cwd)
}
