// Claude Code as a writer of text: no settings are loaded, so that no hook runs and no tool is allowed.
import type { TextGenerator } from '../../model/agent.ts'
import { findObjects } from '../../std/embedded-json.ts'
import { EntireError } from '../../std/errors.ts'
import { text } from '../hook-table.ts'

export const claudeGenerator: TextGenerator = {
  command: ({ model }) => [
    'claude',
    '--print',
    '--output-format',
    'json',
    '--setting-sources',
    '',
    ...(model === undefined ? [] : [`--model=${model}`]),
  ],
  // What a Claude Code that runs us tells its children: with it, this one would take itself for a part of that session.
  env: {
    CLAUDE_PROJECT_DIR: undefined,
    CLAUDE_ENV_FILE: undefined,
    CLAUDE_PID: undefined,
    CLAUDE_CODE_CHILD_SESSION: undefined,
    CLAUDE_CODE_ENTRYPOINT: undefined,
    CLAUDE_CODE_MESSAGING_SOCKET: undefined,
    CLAUDE_CODE_MESSAGING_TOKEN: undefined,
    CLAUDE_CODE_SESSION_ATTENDED: undefined,
    AI_AGENT: undefined,
  },
  parseAnswer(output) {
    const result = findObjects(output).findLast((object) => object.type === 'result')
    const answer = text(result?.result)
    if (answer !== undefined && result?.is_error !== true) return answer
    throw new EntireError('agent-failed', answer ?? 'It printed no result.')
  },
}
