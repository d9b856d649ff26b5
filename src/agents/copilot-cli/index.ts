// Defines GitHub Copilot CLI as an agent.

import { join } from 'node:path'
import type { Agent, TextGenerator } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import { exists, readText } from '../../std/file.ts'
import { copilotCliCard } from '../cards.ts'
import { asText, hookParser, lazyInstaller } from '../shared/hook-table.ts'
import { awaitOutcome, copilotFields, copilotHooks } from './hooks.ts'
import { awaitHookRecord, copilotResume } from './session-files.ts'
import { copilotTranscript } from './transcript.ts'

/**
 * Writes text without tools and without the instructions of a project. Hooks of a repository run only in
 * trusted folders.
 */
export const copilotGenerator: TextGenerator = {
  // No tool has the name `none`, so no tool is left.
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

const parseCopilotHook = hookParser('copilot-cli', copilotHooks, copilotFields)

const hooksFile = '.github/hooks/entire.json'

export const copilotCli = {
  ...copilotCliCard,
  description: "Copilot CLI - GitHub's AI coding assistant",
  protectedDirs: ['.github/hooks'],
  // Almost every repository has a .github directory; these two are only for Copilot CLI.
  detect: (root) =>
    exists(join(root, '.github/copilot')) ||
    (readText(join(root, hooksFile)) ?? '').includes('hooks copilot-cli '),
  hookNames: Object.keys(copilotHooks),
  parseHook: (verb, payload, env) => {
    const parse = () => parseCopilotHook(verb, payload, env)
    const { transcript } = copilotFields(payload, env)
    const outcome =
      verb === 'user-prompt-submitted' && transcript !== undefined ? awaitOutcome(transcript) : undefined
    return outcome === undefined ? parse() : outcome.then(parse)
  },
  projectDir: (payload, env) => asText(env.COPILOT_PROJECT_DIR) ?? asText(payload.cwd),
  transcript: copilotTranscript,
  preparer: { prepare: awaitHookRecord },
  installer: lazyInstaller(hooksFile, async () => (await import('./install.ts')).copilotInstaller),
  findObstacle: async (root, env) => (await import('./obstacle.ts')).copilotObstacle(root, env),
  resume: copilotResume,
  generator: copilotGenerator,
} satisfies Agent
