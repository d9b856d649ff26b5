// Defines the rules on optional capabilities: tokens, generated text, messages for the agent, subagents, and
// the analysis of transcripts, tried with an empty one because only fixtures know the format.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hold } from '../rule.ts'
import type { AgentRule, AgentTrial } from './trial.ts'

function emptyDir({ root }: AgentTrial): string {
  const dir = join(root, 'subagents')
  mkdirSync(dir, { recursive: true })
  return dir
}

const message = 'Entire is recording this session.'

export const optionalRules: AgentRule[] = [
  {
    id: 'calculate-tokens/answers',
    title: '`calculate-tokens` returns counts',
    level: 'must',
    requires: 'token_calculator',
    run: async ({ ask }) => {
      await ask('calculate-tokens', { offset: 0 }, '{}')
    },
  },
  {
    id: 'calculate-tokens/beyond',
    title: 'Beyond the end there are no tokens',
    level: 'must',
    requires: 'token_calculator',
    needs: ['calculate-tokens/answers'],
    run: async ({ ask }) => {
      const tokens = await ask('calculate-tokens', { offset: 999 }, '{}')
      hold((tokens?.input_tokens ?? 0) + (tokens?.output_tokens ?? 0) === 0, {
        expected: '0 tokens',
        received: JSON.stringify(tokens),
        fix: 'Start at --offset, in the unit of `get-transcript-position`.',
      })
    },
  },
  {
    id: 'write-hook-response/answers',
    title: '`write-hook-response` prints the message for the agent',
    level: 'must',
    requires: 'hook_response_writer',
    run: async ({ bytes }) => {
      const printed = await bytes('write-hook-response', { message })
      hold(printed.length > 0, {
        expected: `${JSON.stringify(message)} in the form that the agent understands`,
        received: 'nothing on stdout',
        fix: 'Print the message: it becomes the output of the hook.',
      })
    },
  },
  {
    id: 'extract-all-modified-files/answers',
    title: '`extract-all-modified-files` returns files',
    level: 'must',
    requires: 'subagent_aware_extractor',
    run: async (trial) => {
      await trial.ask('extract-all-modified-files', { offset: 0, 'subagents-dir': emptyDir(trial) }, '{}')
    },
  },
  {
    id: 'extract-all-modified-files/no-dir',
    title: 'A directory of subagents that does not exist counts as empty',
    level: 'must',
    requires: 'subagent_aware_extractor',
    needs: ['extract-all-modified-files/answers'],
    run: async ({ ask, root }) => {
      await ask('extract-all-modified-files', { offset: 0, 'subagents-dir': join(root, 'no-such-dir') }, '{}')
    },
  },
  {
    id: 'calculate-total-tokens/answers',
    title: '`calculate-total-tokens` returns counts',
    level: 'must',
    requires: 'subagent_aware_extractor',
    run: async (trial) => {
      await trial.ask('calculate-total-tokens', { offset: 0, 'subagents-dir': emptyDir(trial) }, '{}')
    },
  },
  {
    id: 'generate-text/answers',
    title: '`generate-text` answers a prompt',
    level: 'must',
    requires: 'text_generator',
    run: async ({ ask, fixtures }) => {
      if (fixtures?.generate === undefined)
        return 'it may cost money; give a prompt in the fixtures (`generate`) to try it'
      const { text } = await ask(
        'generate-text',
        { model: fixtures.generate.model },
        fixtures.generate.prompt,
      )
      hold(text !== '', {
        expected: 'a text',
        received: 'an empty text',
        fix: 'Exit with a message on stderr when there is no answer.',
      })
      return undefined
    },
  },
]

const analyzer = { requires: 'transcript_analyzer', level: 'must' } as const
/** A position beyond the end. */
const beyond = 999

/** An empty JSON object is an empty transcript in every format based on JSON. */
function emptyTranscript({ root }: AgentTrial): string {
  const path = join(root, 'sessions', 'empty.jsonl')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '{}')
  return path
}

const nothingFound = (what: string, found: string[]) => ({
  expected: `no ${what} beyond the end of the transcript`,
  received: JSON.stringify(found),
  fix: 'Start at --offset, in the unit of `get-transcript-position`.',
})

export const analysisRules: AgentRule[] = [
  {
    id: 'get-transcript-position/missing',
    title: 'A transcript that does not exist yet has the position 0',
    ...analyzer,
    run: async ({ ask, root }) => {
      const { position } = await ask('get-transcript-position', { path: join(root, 'no-such-session.jsonl') })
      hold(position === 0, {
        expected: '0',
        received: String(position),
        fix: 'Answer 0 when the file does not exist: the session has not begun.',
      })
    },
  },
  {
    id: 'get-transcript-position/answers',
    title: '`get-transcript-position` returns a number',
    ...analyzer,
    run: async (trial) => {
      await trial.ask('get-transcript-position', { path: emptyTranscript(trial) })
    },
  },
  {
    id: 'extract-modified-files/answers',
    title: '`extract-modified-files` returns files and the position',
    ...analyzer,
    run: async (trial) => {
      await trial.ask('extract-modified-files', { path: emptyTranscript(trial), offset: 0 })
    },
  },
  {
    id: 'extract-modified-files/position',
    title: '`current_position` is what `get-transcript-position` returns',
    ...analyzer,
    needs: ['get-transcript-position/answers', 'extract-modified-files/answers'],
    run: async (trial) => {
      const path = emptyTranscript(trial)
      const { position } = await trial.ask('get-transcript-position', { path })
      const { current_position } = await trial.ask('extract-modified-files', { path, offset: 0 })
      hold(current_position === position, {
        expected: String(position),
        received: String(current_position),
        fix: 'Use one unit everywhere: the next call starts where this one ended.',
      })
    },
  },
  {
    id: 'extract-modified-files/beyond',
    title: 'Beyond the end there are no files',
    ...analyzer,
    needs: ['extract-modified-files/answers'],
    run: async (trial) => {
      const { files } = await trial.ask('extract-modified-files', {
        path: emptyTranscript(trial),
        offset: beyond,
      })
      hold(files.length === 0, nothingFound('files', files))
    },
  },
  {
    id: 'extract-prompts/answers',
    title: '`extract-prompts` returns prompts',
    ...analyzer,
    run: async (trial) => {
      await trial.ask('extract-prompts', { 'session-ref': emptyTranscript(trial), offset: 0 })
    },
  },
  {
    id: 'extract-prompts/beyond',
    title: 'Beyond the end there are no prompts',
    ...analyzer,
    needs: ['extract-prompts/answers'],
    run: async (trial) => {
      const { prompts } = await trial.ask('extract-prompts', {
        'session-ref': emptyTranscript(trial),
        offset: beyond,
      })
      hold(prompts.length === 0, nothingFound('prompts', prompts))
    },
  },
  {
    id: 'extract-summary/answers',
    title: '`extract-summary` returns a summary, or says that there is none',
    ...analyzer,
    run: async (trial) => {
      const { summary, has_summary } = await trial.ask('extract-summary', {
        'session-ref': emptyTranscript(trial),
      })
      hold(has_summary === (summary !== ''), {
        expected: '`has_summary` to be true exactly when the summary has a text',
        received: JSON.stringify({ summary, has_summary }),
        fix: 'An empty transcript has no summary: {"summary":"","has_summary":false}.',
      })
    },
  },
  {
    id: 'prepare-transcript/answers',
    title: '`prepare-transcript` succeeds for a transcript that exists',
    requires: 'transcript_preparer',
    level: 'must',
    run: async (trial) => {
      await trial.bytes('prepare-transcript', { 'session-ref': emptyTranscript(trial) })
    },
  },
]
