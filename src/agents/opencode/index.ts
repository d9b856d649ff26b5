// Defines OpenCode as an agent, and exchanges sessions with its database.

import { basename, join } from 'node:path'
import type { Agent, SessionResumer, TranscriptFetcher } from '../../model/agent.ts'
import { exists } from '../../std/file.ts'
import { opencodeCard } from '../cards.ts'
import { asText, hookParser, lazyInstaller } from '../shared/hook-table.ts'
import { opencodeHooks } from './hooks.ts'
import { exportFile, exportSession, exportsDir } from './program.ts'
import { opencodeTranscript } from './transcript.ts'

export const opencodeSource: TranscriptFetcher = {
  locate: async (session, { root }) => exportFile(root, session),
  fetch: async (reference, place) => ({ bytes: await exportSession(basename(reference, '.json'), place) }),
}

export const opencodeResume: SessionResumer = {
  sessionDir: exportsDir,
  sessionFile: (dir, session) => join(dir, `${session}.json`),
  command: (session) => `opencode -s ${session}`,
  mirror: async (session, path, place) => (await import('./deliver.ts')).mirrorSession(session, path, place),
  deliver: async (log, env = {}) =>
    (await import('./deliver.ts')).deliverSession(log, { root: log.root, env }),
}

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
