// GitHub Copilot CLI, as an agent.

import { join } from 'node:path'
import type { Agent, TextGenerator } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import { exists, readText } from '../../std/file.ts'
import { copilotCliCard } from '../cards.ts'
import { asText, hookParser, lazyInstaller } from '../shared/hook-table.ts'
import { awaitOutcome, baseFields, copilotHooks } from './hooks.ts'
import { copilotResume, prepareTranscript } from './session-files.ts'
import { copilotTranscript } from './transcript.ts'

// Copilot CLI as a writer of text: without a terminal it answers what it reads. It gets no tool and no instructions of a project, and
// hooks of a repository run only where the folder is trusted.

export const copilotGenerator: TextGenerator = {
  // No tool is called none, so that none is left.
  command: ({ model }) => [
    'copilot',
    '--silent',
    '--no-color',
    '--no-custom-instructions',
    '--available-tools=none',
    ...(model === undefined ? [] : [`--model=${model}`]),
  ],
  env: {
    COPILOT_ALLOW_ALL: undefined,
    GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS: undefined,
    COPILOT_AGENT_SESSION_ID: undefined,
  },
  parseAnswer(output) {
    const answer = output.trim()
    if (answer !== '') return answer
    throw new EntireError('agent-failed', 'It printed no answer.')
  },
}

const parseCopilotHook = hookParser('copilot-cli', copilotHooks, baseFields)

const hooksFile = '.github/hooks/entire.json'

export const copilotCli = {
  ...copilotCliCard,
  description: "Copilot CLI - GitHub's AI coding assistant",
  protectedDirs: ['.github/hooks'],
  // Almost every repository has a .github directory; these two are there for Copilot CLI only.
  detect: (root) =>
    exists(join(root, '.github/copilot')) ||
    (readText(join(root, hooksFile)) ?? '').includes('hooks copilot-cli '),
  hookNames: Object.keys(copilotHooks),
  parseHook: (verb, payload, env) => {
    const parse = () => parseCopilotHook(verb, payload, env)
    const { transcript } = baseFields(payload, env)
    const outcome =
      verb === 'user-prompt-submitted' && transcript !== undefined ? awaitOutcome(transcript) : undefined
    return outcome === undefined ? parse() : outcome.then(parse)
  },
  projectDir: (payload, env) => asText(env.COPILOT_PROJECT_DIR) ?? asText(payload.cwd),
  transcript: copilotTranscript,
  preparer: { prepare: prepareTranscript },
  installer: lazyInstaller(hooksFile, async () => (await import('./install.ts')).copilotInstaller),
  findObstacle: async (root, env) => (await import('./obstacle.ts')).findObstacle(root, env),
  resume: copilotResume,
  generator: copilotGenerator,
} satisfies Agent
