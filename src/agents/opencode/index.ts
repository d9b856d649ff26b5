// OpenCode, as an agent.

import { join } from 'node:path'
import type { Agent } from '../../model/agent.ts'
import { exists } from '../../std/file.ts'
import { opencodeCard } from '../cards.ts'
import { asText, hookParser, lazyInstaller } from '../shared/hook-table.ts'
import { opencodeHooks } from './hooks.ts'
import { opencodeResume, opencodeSource } from './session-files.ts'
import { opencodeTranscript } from './transcript.ts'

export const opencode = {
  ...opencodeCard,
  description: 'OpenCode - open source AI coding agent for the terminal',
  protectedDirs: ['.opencode'],
  detect: (root) => exists(join(root, '.opencode')),
  hookNames: Object.keys(opencodeHooks),
  parseHook: hookParser('opencode', opencodeHooks),
  projectDir: (payload) => asText(payload.cwd),
  transcript: opencodeTranscript,
  tasksEndWithTurn: true,
  source: opencodeSource,
  installer: lazyInstaller(
    '.opencode/plugins/entire.ts',
    async () => (await import('./install.ts')).opencodeInstaller,
  ),
  resume: opencodeResume,
} satisfies Agent
