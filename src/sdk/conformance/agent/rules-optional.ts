// Defines the rules on optional capabilities: tokens, generated text, messages for the agent, and subagents.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
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
