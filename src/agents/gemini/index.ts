// Defines Gemini CLI as an agent.

import { join } from 'node:path'
import type { Agent, TextGenerator } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import { exists } from '../../std/file.ts'
import { asObject, findObjects } from '../../std/json.ts'
import { geminiCard } from '../cards.ts'
import { asText, hookParser, lazyInstaller } from '../shared/hook-table.ts'
import { geminiHooks } from './hooks.ts'
import { geminiResume, geminiSubagentTranscript } from './session-files.ts'
import { geminiTranscript } from './transcript.ts'

/** Writes text: without a terminal it answers its input and calls no tool that needs permission. */
export const geminiGenerator: TextGenerator = {
  command: ({ model }) => [
    'gemini',
    '--output-format',
    'json',
    ...(model === undefined ? [] : [`--model=${model}`]),
  ],
  // It refuses to start in a directory that is not trusted; the one it runs in is empty.
  env: { GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_PROJECT_DIR: undefined },
  parseAnswer(output) {
    const result = findObjects(output).findLast((object) => 'response' in object || 'error' in object)
    const answer = asText(result?.response)
    if (answer !== undefined) return answer
    throw new EntireError(
      'agent-failed',
      asText(asObject(result?.error)?.message) ?? 'It printed no response.',
    )
  },
}

export const gemini = {
  ...geminiCard,
  description: "Gemini CLI - Google's AI coding assistant",
  protectedDirs: ['.gemini'],
  detect: (root) => exists(join(root, '.gemini')),
  hookNames: Object.keys(geminiHooks),
  parseHook: hookParser('gemini', geminiHooks),
  projectDir: (payload, env) => asText(env.GEMINI_PROJECT_DIR) ?? asText(payload.cwd),
  transcript: geminiTranscript,
  subagents: { transcriptPath: geminiSubagentTranscript },
  installer: lazyInstaller(
    '.gemini/settings.json',
    async () => (await import('./install.ts')).geminiInstaller,
  ),
  findObstacle: async (root, env) => (await import('./obstacle.ts')).geminiObstacle(root, env),
  hookResponse: (message) => `${JSON.stringify({ systemMessage: message })}\n`,
  resume: geminiResume,
  generator: geminiGenerator,
} satisfies Agent
