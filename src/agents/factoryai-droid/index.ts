// Factory's Droid, as an agent.
import { join } from 'node:path'
import type { Agent } from '../../model/agent.ts'
import { exists } from '../../std/file.ts'
import { factoryaiDroidCard } from '../cards.ts'
import { parseWithTable, text } from '../hook-table.ts'
import { lazyInstaller } from '../lazy-installer.ts'
import { droidGenerator } from './generator.ts'
import { droidHooks } from './hooks.ts'
import { findObstacle } from './obstacle.ts'
import { droidResume } from './session-files.ts'
import { droidTranscript } from './transcript.ts'

export const factoryaiDroid = {
  ...factoryaiDroidCard,
  description: "Factory AI Droid - Factory's coding agent",
  protectedDirs: ['.factory'],
  detect: (root) => exists(join(root, '.factory')),
  hookNames: Object.keys(droidHooks),
  parseHook: (verb, payload, env) => parseWithTable('factoryai-droid', droidHooks, verb, payload, env),
  projectDir: (payload, env) => text(env.FACTORY_PROJECT_DIR) ?? text(payload.cwd),
  transcript: droidTranscript,
  tasksEndWithTurn: true,
  installer: lazyInstaller('.factory/settings.json', async () => (await import('./install.ts')).droidInstaller),
  findObstacle,
  // It shows what a hook prints as it is.
  hookResponse: (message) => `${message.trim()}\n`,
  resume: droidResume,
  generator: droidGenerator,
} satisfies Agent
