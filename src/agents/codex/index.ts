// Codex, as an agent.
import { join } from 'node:path'
import type { Agent } from '../../model/agent.ts'
import { exists } from '../../std/file.ts'
import { codexCard } from '../cards.ts'
import { parseWithTable, text } from '../hook-table.ts'
import { lazyInstaller } from '../lazy-installer.ts'
import { codexGenerator } from './generator.ts'
import { codexHooks } from './hooks.ts'
import { codexResume, subagentTranscript } from './session-files.ts'
import { codexTranscript } from './transcript.ts'

export const codex = {
  ...codexCard,
  description: "Codex - OpenAI's CLI coding agent",
  protectedDirs: ['.codex'],
  detect: (root) => exists(join(root, '.codex')),
  hookNames: Object.keys(codexHooks),
  parseHook: (verb, payload, env) => parseWithTable('codex', codexHooks, verb, payload, env),
  projectDir: (payload) => text(payload.cwd),
  transcript: codexTranscript,
  subagents: { transcriptPath: subagentTranscript },
  installer: lazyInstaller('.codex/hooks.json', async () => (await import('./install.ts')).codexInstaller),
  findObstacle: async (root, env) => (await import('./trust.ts')).findObstacle(root, env),
  // What is printed otherwise is told to the model, or refused.
  hookResponse: (message) => `${JSON.stringify({ systemMessage: message.trimStart() })}\n`,
  resume: codexResume,
  generator: codexGenerator,
} satisfies Agent
