// Defines Codex as an agent.

import { join } from 'node:path'
import type { Agent, TextGenerator } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import { exists } from '../../std/file.ts'
import { asObject, parseJson } from '../../std/json.ts'
import { codexCard } from '../cards.ts'
import { asText, hookParser, lazyInstaller } from '../shared/hook-table.ts'
import { codexHooks } from './hooks.ts'
import { codexResume, codexSubagentTranscript } from './session-files.ts'
import { codexTranscript } from './transcript.ts'

/** Writes text with access to nothing but an empty directory, and keeps no rollout. */
export const codexGenerator: TextGenerator = {
  command: ({ model }) => [
    'codex',
    'exec',
    '--json',
    '--ephemeral',
    '--skip-git-repo-check',
    '--sandbox=read-only',
    ...(model === undefined ? [] : [`--model=${model}`]),
    '-',
  ],
  // A Codex that runs this program sets these.
  env: { CODEX_SESSION_ID: undefined, CODEX_THREAD_ID: undefined, CODEX_TOOL_CALL_ID: undefined },
  parseAnswer(output) {
    const events = output
      .split('\n')
      .map((line) => asObject(parseJson(line)))
      .filter((event) => event !== undefined)
    const answers = events.flatMap((event) => {
      const item = event.type === 'item.completed' ? asObject(event.item) : undefined
      return item?.type === 'agent_message' ? (asText(item.text) ?? []) : []
    })
    const answer = answers.at(-1)
    if (answer !== undefined) return answer
    const failed = events.findLast((event) => event.type === 'turn.failed' || event.type === 'error')
    throw new EntireError(
      'agent-failed',
      asText(asObject(failed?.error)?.message) ?? asText(failed?.message) ?? 'It printed no message.',
    )
  },
}

export const codex = {
  ...codexCard,
  description: "Codex - OpenAI's CLI coding agent",
  protectedDirs: ['.codex'],
  detect: (root) => exists(join(root, '.codex')),
  hookNames: Object.keys(codexHooks),
  parseHook: hookParser('codex', codexHooks),
  projectDir: (payload) => asText(payload.cwd),
  transcript: codexTranscript,
  subagents: { transcriptPath: codexSubagentTranscript },
  installer: lazyInstaller('.codex/hooks.json', async () => (await import('./install.ts')).codexInstaller),
  findObstacle: async (root, env) => (await import('./obstacle.ts')).codexObstacle(root, env),
  // Codex passes any other output to the model, or refuses it.
  hookResponse: (message) => `${JSON.stringify({ systemMessage: message.trimStart() })}\n`,
  resume: codexResume,
  generator: codexGenerator,
} satisfies Agent
