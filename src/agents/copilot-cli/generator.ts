// Copilot CLI as a writer of text: without a terminal it answers what it reads. It gets no tool and no instructions of a project, and
// hooks of a repository run only where the folder is trusted.
import type { TextGenerator } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'

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
  env: { COPILOT_ALLOW_ALL: undefined, GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS: undefined, COPILOT_AGENT_SESSION_ID: undefined },
  parseAnswer(output) {
    const answer = output.trim()
    if (answer !== '') return answer
    throw new EntireError('agent-failed', 'It printed no answer.')
  },
}
