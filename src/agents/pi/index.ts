// Pi, as an agent.
import { join } from 'node:path'
import type { Agent } from '../../model/agent.ts'
import { exists } from '../../std/file.ts'
import { piCard } from '../cards.ts'
import { text } from '../hook-table.ts'
import { lazyInstaller } from '../lazy-installer.ts'
import { piGenerator } from './generator.ts'
import { parsePiHook, piHooks } from './hooks.ts'
import { piResume } from './session-files.ts'
import { piTranscript } from './transcript.ts'

export const pi = {
  ...piCard,
  description: 'Pi - a minimal terminal coding agent',
  protectedDirs: ['.pi'],
  detect: (root) => exists(join(root, '.pi')),
  hookNames: Object.keys(piHooks),
  parseHook: parsePiHook,
  projectDir: (payload) => text(payload.cwd),
  transcript: piTranscript,
  tasksEndWithTurn: true,
  installer: lazyInstaller('.pi/extensions/entire/index.ts', async () => (await import('./install.ts')).piInstaller),
  hookResponse: (message) => `${JSON.stringify({ systemMessage: message })}\n`,
  resume: piResume,
  generator: piGenerator,
} satisfies Agent
