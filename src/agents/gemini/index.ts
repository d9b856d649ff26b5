// Gemini CLI, as an agent.
import { join } from 'node:path'
import type { Agent } from '../../model/agent.ts'
import { exists } from '../../std/file.ts'
import { geminiCard } from '../cards.ts'
import { parseWithTable, text } from '../hook-table.ts'
import { lazyInstaller } from '../lazy-installer.ts'
import { geminiGenerator } from './generator.ts'
import { geminiHooks } from './hooks.ts'
import { geminiResume, subagentTranscript } from './session-files.ts'
import { geminiTranscript } from './transcript.ts'

export const gemini = {
  ...geminiCard,
  description: "Gemini CLI - Google's AI coding assistant",
  protectedDirs: ['.gemini'],
  detect: (root) => exists(join(root, '.gemini')),
  hookNames: Object.keys(geminiHooks),
  parseHook: (verb, payload, env) => parseWithTable('gemini', geminiHooks, verb, payload, env),
  projectDir: (payload, env) => text(env.GEMINI_PROJECT_DIR) ?? text(payload.cwd),
  transcript: geminiTranscript,
  subagents: { transcriptPath: subagentTranscript },
  installer: lazyInstaller('.gemini/settings.json', async () => (await import('./install.ts')).geminiInstaller),
  findObstacle: async (root, env) => (await import('./trust.ts')).findObstacle(root, env),
  hookResponse: (message) => `${JSON.stringify({ systemMessage: message })}\n`,
  resume: geminiResume,
  generator: geminiGenerator,
} satisfies Agent
