// Gives an example of each message of the external agent protocol, for the reference and the schemas.

import type { MessageInput } from './messages.ts'

const session = 'a1b2c3'
const file = '/home/ada/.owl/sessions/a1b2c3.jsonl'
const time = '2026-01-13T12:00:00Z'
/** `{"role":"user","text":"Fix the login"}` and a newline. */
const transcript = 'eyJyb2xlIjoidXNlciIsInRleHQiOiJGaXggdGhlIGxvZ2luIn0K'

export const examples: { readonly [Name in keyof MessageInput]: NonNullable<MessageInput[Name]> } = {
  info: {
    protocol_version: 1,
    name: 'owl',
    type: 'Owl',
    description: 'Owl, the agent that works at night',
    is_preview: true,
    protected_dirs: ['.owl'],
    hook_names: ['session-start', 'prompt', 'stop', 'session-end'],
    capabilities: {
      hooks: true,
      transcript_analyzer: true,
      token_calculator: true,
      caller_env_vars: ['OWL_RUN'],
    },
  },
  presence: { present: true },
  'hook-input': {
    hook_type: 'user_prompt_submit',
    session_id: session,
    session_ref: file,
    timestamp: time,
    user_prompt: 'Fix the login',
    raw_data: { session_id: session, prompt: 'Fix the login' },
  },
  'session-id': { session_id: session },
  'session-dir': { session_dir: '/home/ada/.owl/sessions' },
  'session-file': { session_file: file },
  session: {
    session_id: session,
    agent_name: 'owl',
    repo_path: '/home/ada/project',
    session_ref: file,
    start_time: time,
    native_data: transcript,
    modified_files: ['src/login.ts'],
    new_files: [],
    deleted_files: [],
  },
  chunks: { chunks: [transcript] },
  'resume-command': { command: `owl --resume ${session}` },
  event: { type: 2, session_id: session, session_ref: file, prompt: 'Fix the login', timestamp: time },
  'hooks-installed': { hooks_installed: 4 },
  'hook-status': { installed: true },
  position: { position: 2 },
  files: { files: ['src/login.ts'], current_position: 2 },
  'all-files': { files: ['src/login.ts', 'src/session.ts'] },
  prompts: { prompts: ['Fix the login'] },
  summary: { summary: 'Fixed the login.', has_summary: true },
  tokens: {
    input_tokens: 120,
    output_tokens: 8,
    cache_creation_tokens: 0,
    cache_read_tokens: 4000,
    api_call_count: 1,
    subagent_tokens: { input_tokens: 30, output_tokens: 2, api_call_count: 1 },
  },
  text: { text: 'The login works again.' },
  'compact-transcript': {
    // {"v":1,"type":"user","content":[{"text":"Fix the login"}]}
    transcript: 'eyJ2IjoxLCJ0eXBlIjoidXNlciIsImNvbnRlbnQiOlt7InRleHQiOiJGaXggdGhlIGxvZ2luIn1dfQo=',
    assets: [{ name: 'shot.png', media_type: 'image/png', data: 'iVBORw0KGgo=' }],
  },
}
