// What an external agent may offer beyond the mandatory part. A subcommand of a capability that is not declared is never called.
export const capabilities = {
  hooks: 'Its hooks report what happens in a session. Without this nothing is recorded.',
  transcript_analyzer: 'It finds positions, changed files, prompts and the summary in a transcript.',
  transcript_preparer: 'It completes a transcript before it is read.',
  token_calculator: 'It counts the tokens of a transcript.',
  text_generator: 'It answers a prompt, for summaries.',
  hook_response_writer: 'It shows a message to the user of the agent.',
  subagent_aware_extractor: 'It reads the transcripts of subagents as well.',
  compact_transcript: 'It gives a shortened transcript (newer programs).',
} as const

export type Capability = keyof typeof capabilities
