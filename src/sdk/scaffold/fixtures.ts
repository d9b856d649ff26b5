// The samples that a new plugin comes with: of the agent that the templates take for granted, to be replaced by real ones.
import { formatJson } from '../../std/json.ts'

const payload = { session_id: 'sample-1', transcript_path: '{home}/sample-1.jsonl', timestamp: '2026-01-13T12:00:00Z' }

const transcript = [
  { role: 'user', text: 'Fix the login' },
  { role: 'assistant', text: 'Fixed.', files: ['src/login.ts'], usage: { input: 120, output: 8 } },
]

/** A language whose template looks into transcripts has expectations of them. */
export function sampleFixtures(analyses: boolean): string {
  return formatJson({
    hooks: [
      { hook: 'session-start', payload, event: { type: 1, session_id: 'sample-1', session_ref: '{home}/sample-1.jsonl' } },
      { hook: 'prompt', payload: { ...payload, prompt: 'Fix the login' }, event: { type: 2, prompt: 'Fix the login' } },
      { hook: 'stop', payload, event: { type: 3, timestamp: '2026-01-13T12:00:00Z' } },
      { hook: 'session-end', payload, event: { type: 5 } },
      { hook: 'something-else', payload, event: null },
    ],
    transcripts: [
      {
        text: transcript.map((line) => `${JSON.stringify(line)}\n`).join(''),
        ...(analyses ? expectations : {}),
      },
    ],
  })
}

const expectations = {
  position: 2,
  files: ['src/login.ts'],
  prompts: ['Fix the login'],
  summary: 'Fixed.',
  tokens: { input_tokens: 120, output_tokens: 8, api_call_count: 1 },
  from: [{ offset: 1, prompts: [] }],
}
