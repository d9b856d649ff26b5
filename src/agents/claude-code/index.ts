// Claude Code, as an agent.
import { join } from 'node:path'
import type { Agent } from '../../model/agent.ts'
import { exists } from '../../std/file.ts'
import { claudeCodeCard } from '../cards.ts'
import { parseWithTable, text } from '../hook-table.ts'
import { lazyInstaller } from '../lazy-installer.ts'
import { claudeGenerator } from './generator.ts'
import { claudeHooks } from './hooks.ts'
import { prepareTranscript } from './preparer.ts'
import { claudeResume, subagentTranscript } from './session-files.ts'
import { claudeTranscript } from './transcript.ts'

export const claudeCode = {
  ...claudeCodeCard,
  description: "Claude Code - Anthropic's CLI coding assistant",
  protectedDirs: ['.claude'],
  detect: (root) => exists(join(root, '.claude')),
  hookNames: Object.keys(claudeHooks),
  parseHook: (verb, payload, env) => parseWithTable('claude-code', claudeHooks, verb, payload, env),
  projectDir: (payload, env) => text(env.CLAUDE_PROJECT_DIR) ?? text(payload.cwd),
  transcript: claudeTranscript,
  preparer: { prepare: prepareTranscript },
  subagents: { transcriptPath: subagentTranscript },
  installer: lazyInstaller('.claude/settings.json', async () => (await import('./install.ts')).claudeInstaller),
  hookResponse: (message) => `${JSON.stringify({ systemMessage: message })}\n`,
  resume: claudeResume,
  generator: claudeGenerator,
} satisfies Agent
