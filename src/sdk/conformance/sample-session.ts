// The session that rules write and read. Its content fits every format: one JSON object, as a line and as a document.
import type { MessageInput } from '../../protocol/external-messages.ts'
import type { Trial } from './trial.ts'

export const sessionId = 'conformance-session-1'
export const sessionBytes = Buffer.from('{"conformance":true}\n')
export const brokenJson = '{"session_id":'
export const time = '2026-01-13T12:00:00Z'

export function hookInput(session: string, ref: string, hookType = 'stop'): MessageInput['hook-input'] {
  return { hook_type: hookType, session_id: session, session_ref: ref, timestamp: time, user_prompt: 'Fix the login', raw_data: {} }
}

export async function findSessionFile(trial: Trial, session: string): Promise<{ dir: string; file: string }> {
  const { session_dir: dir } = await trial.ask('get-session-dir', { 'repo-path': trial.root })
  const { session_file: file } = await trial.ask('resolve-session-file', { 'session-dir': dir, 'session-id': session })
  return { dir, file }
}

export async function sampleSession(trial: Trial, session = sessionId, bytes: Uint8Array = sessionBytes): Promise<MessageInput['session']> {
  return {
    session_id: session,
    agent_name: trial.info.name,
    repo_path: trial.root,
    session_ref: (await findSessionFile(trial, session)).file,
    start_time: time,
    native_data: Buffer.from(bytes).toString('base64'),
    modified_files: ['README.md'],
    new_files: [],
    deleted_files: [],
  }
}

/** Writes a session through the plugin, and says where it is. */
export async function writeSample(trial: Trial, session = sessionId, bytes: Uint8Array = sessionBytes): Promise<MessageInput['session']> {
  const written = await sampleSession(trial, session, bytes)
  await trial.bytes('write-session', {}, written)
  return written
}
