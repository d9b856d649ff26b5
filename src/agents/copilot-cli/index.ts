// GitHub Copilot CLI, as an agent.
import { join } from 'node:path'
import type { Agent } from '../../model/agent.ts'
import { exists, readText } from '../../std/file.ts'
import { copilotCliCard } from '../cards.ts'
import { parseWithTable, text } from '../hook-table.ts'
import { lazyInstaller } from '../lazy-installer.ts'
import { awaitOutcome } from './blocked-stop.ts'
import { copilotGenerator } from './generator.ts'
import { copilotHooks } from './hooks.ts'
import { baseFields } from './payload.ts'
import { prepareTranscript } from './preparer.ts'
import { copilotResume } from './session-files.ts'
import { copilotTranscript } from './transcript.ts'

const hooksFile = '.github/hooks/entire.json'

export const copilotCli = {
  ...copilotCliCard,
  description: "Copilot CLI - GitHub's AI coding assistant",
  protectedDirs: ['.github/hooks'],
  // Almost every repository has a .github directory; these two are there for Copilot CLI only.
  detect: (root) => exists(join(root, '.github/copilot')) || (readText(join(root, hooksFile)) ?? '').includes('hooks copilot-cli '),
  hookNames: Object.keys(copilotHooks),
  parseHook: (verb, payload, env) => {
    const parse = () => parseWithTable('copilot-cli', copilotHooks, verb, payload, env, (fields) => baseFields(fields, env))
    const { transcript } = baseFields(payload, env)
    const outcome = verb === 'user-prompt-submitted' && transcript !== undefined ? awaitOutcome(transcript) : undefined
    return outcome === undefined ? parse() : outcome.then(parse)
  },
  projectDir: (payload, env) => text(env.COPILOT_PROJECT_DIR) ?? text(payload.cwd),
  transcript: copilotTranscript,
  preparer: { prepare: prepareTranscript },
  installer: lazyInstaller(hooksFile, async () => (await import('./install.ts')).copilotInstaller),
  findObstacle: async (root, env) => (await import('./obstacle.ts')).findObstacle(root, env),
  resume: copilotResume,
  generator: copilotGenerator,
} satisfies Agent
