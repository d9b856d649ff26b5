// Defines Claude Code as an agent.

import { join } from 'node:path'
import type { Agent, TextGenerator } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import { exists } from '../../std/file.ts'
import { findObjects } from '../../std/json.ts'
import { claudeCodeCard } from '../cards.ts'
import { asText, hookParser, lazyInstaller } from '../shared/hook-table.ts'
import { claudeHooks } from './hooks.ts'
import { awaitLastMessage, claudeResume, claudeSubagentTranscript } from './session-files.ts'
import { claudeTranscript } from './transcript.ts'

/** Writes text without loading settings, so that no hook runs and no tool is allowed. */
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
  // A Claude Code that runs this program sets these: with them, the new one would take itself for a part of
  // that session.
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
    const answer = asText(result?.result)
    if (answer !== undefined && result?.is_error !== true) return answer
    throw new EntireError('agent-failed', answer ?? 'It printed no result.')
  },
}

export const claudeCode = {
  ...claudeCodeCard,
  description: "Claude Code - Anthropic's CLI coding assistant",
  protectedDirs: ['.claude'],
  detect: (root) => exists(join(root, '.claude')),
  hookNames: Object.keys(claudeHooks),
  parseHook: hookParser('claude-code', claudeHooks),
  projectDir: (payload, env) => asText(env.CLAUDE_PROJECT_DIR) ?? asText(payload.cwd),
  transcript: claudeTranscript,
  preparer: { prepare: awaitLastMessage },
  subagents: { transcriptPath: claudeSubagentTranscript },
  installer: lazyInstaller(
    '.claude/settings.json',
    async () => (await import('./install.ts')).claudeInstaller,
    '.claude/settings.local.json',
  ),
  hookResponse: (message) => `${JSON.stringify({ systemMessage: message })}\n`,
  resume: claudeResume,
  generator: claudeGenerator,
} satisfies Agent
