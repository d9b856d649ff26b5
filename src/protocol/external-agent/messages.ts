// Declares the JSON messages of the external agent protocol as schemas. Types are inferred from them; names
// are those on the wire. Readers are tolerant: unknown fields are dropped (those of a session are kept), and
// null stands for an absent field or an empty list, because programs in Go write it so.

import * as v from 'valibot'
import { openRecord } from '../extension/fields.ts'

/** What an external agent may offer. A subcommand of a capability that is not declared is never called. */
export const capabilities = {
  hooks: 'It reports what happens in a session by hooks. Without this capability nothing is recorded.',
  transcript_analyzer: 'It finds positions, changed files, prompts and the summary in a transcript.',
  transcript_preparer: 'It completes a transcript before it is read.',
  token_calculator: 'It counts the tokens of a transcript.',
  text_generator: 'It answers a prompt, for summaries.',
  hook_response_writer: 'It shows a message to the user of the agent.',
  subagent_aware_extractor: 'It reads the transcripts of subagents as well.',
  compact_transcript: 'It gives a shortened transcript (newer programs).',
} as const

export type Capability = keyof typeof capabilities

const text = v.string()
const filled = v.pipe(v.string(), v.nonEmpty('must not be empty'))
const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const optionalCount = v.nullish(count)
const optionalText = v.nullish(text)
const texts = v.nullish(v.array(text), [])
// Two simple tests, because one expression for both runs out of stack on megabytes.
const base64 = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9+/]*={0,2}$/, 'is not base64'),
  v.check((data) => data.length % 4 === 0, 'is not base64'),
)

/** Go's zero value for a missing time is an empty text. */
const time = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/, 'is not an RFC 3339 time'),
)
const optionalTime = v.nullish(v.union([time, v.literal('')]))

const declared = Object.fromEntries(Object.keys(capabilities).map((name) => [name, v.nullish(v.boolean())]))

const tokens = {
  input_tokens: count,
  output_tokens: count,
  cache_creation_tokens: optionalCount,
  cache_read_tokens: optionalCount,
  api_call_count: optionalCount,
}

/** Every message by name. */
export const messages = {
  info: v.object({
    protocol_version: v.literal(1),
    name: filled,
    type: filled,
    description: filled,
    is_preview: v.nullish(v.boolean()),
    protected_dirs: texts,
    protected_files: texts,
    hook_names: texts,
    capabilities: v.object({
      ...(declared as Record<
        keyof typeof capabilities,
        v.NullishSchema<v.BooleanSchema<undefined>, undefined>
      >),
      uses_terminal: v.nullish(v.boolean()),
      caller_env_vars: texts,
    }),
  }),
  presence: v.object({ present: v.boolean() }),
  'hook-input': v.object({
    hook_type: text,
    session_id: text,
    session_ref: text,
    timestamp: v.union([time, v.literal('')]),
    user_prompt: optionalText,
    tool_name: optionalText,
    tool_use_id: optionalText,
    tool_input: v.optional(v.unknown()),
    raw_data: v.nullish(openRecord),
  }),
  'session-id': v.object({ session_id: text }),
  'session-dir': v.object({ session_dir: filled }),
  'session-file': v.object({ session_file: filled }),
  session: v.looseObject({
    session_id: text,
    agent_name: text,
    repo_path: text,
    session_ref: text,
    start_time: v.union([time, v.literal('')]),
    native_data: v.nullish(base64),
    modified_files: texts,
    new_files: texts,
    deleted_files: texts,
  }),
  chunks: v.object({ chunks: v.nullish(v.array(base64), []) }),
  'resume-command': v.object({ command: filled }),
  event: v.nullable(
    v.object({
      type: v.pipe(v.number(), v.integer(), v.minValue(1)),
      session_id: text,
      previous_session_id: optionalText,
      session_ref: optionalText,
      prompt: optionalText,
      model: optionalText,
      timestamp: optionalTime,
      tool_use_id: optionalText,
      subagent_id: optionalText,
      tool_input: v.optional(v.unknown()),
      subagent_type: optionalText,
      subagent_transcript_path: optionalText,
      task_description: optionalText,
      response_message: optionalText,
      final: v.nullish(v.boolean()),
      metadata: v.nullish(v.record(text, text)),
    }),
  ),
  'hooks-installed': v.object({ hooks_installed: count }),
  'hook-status': v.object({ installed: v.boolean() }),
  position: v.object({ position: count }),
  files: v.object({ files: texts, current_position: count }),
  'all-files': v.object({ files: texts }),
  prompts: v.object({ prompts: texts }),
  summary: v.object({ summary: v.nullish(text, ''), has_summary: v.boolean() }),
  tokens: v.nullable(v.object({ ...tokens, subagent_tokens: v.nullish(v.object(tokens)) })),
  text: v.object({ text }),
  'compact-transcript': v.object({
    transcript: v.pipe(base64, v.nonEmpty('must not be empty')),
    assets: v.nullish(v.array(v.object({ name: filled, media_type: filled, data: base64 })), []),
  }),
} as const

export type Messages = { [Name in keyof typeof messages]: v.InferOutput<(typeof messages)[Name]> }
export type MessageName = keyof Messages

/** The messages as they may be written: fields with defaults may be missing. */
export type MessageInput = { [Name in keyof typeof messages]: v.InferInput<(typeof messages)[Name]> }
