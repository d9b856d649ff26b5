// OpenCode keeps its sessions in a database of its own. It is asked for them, and given them back.

import { join } from 'node:path'
import type { SessionResumer, TranscriptFetcher } from '../../model/agent.ts'
import { sessionFile, sessionOf, sessionsDir } from './program.ts'

export const opencodeSource: TranscriptFetcher = {
  locate: async (session, { root }) => sessionFile(root, session),
  fetch: async (reference, place) => ({
    bytes: await (await import('./program.ts')).exportSession(sessionOf(reference), place),
  }),
}

export const opencodeResume: SessionResumer = {
  sessionDir: (root) => sessionsDir(root),
  sessionFile: (dir, session) => join(dir, `${session}.json`),
  command: (session) => `opencode -s ${session}`,
  mirror: async (session, path, place) => (await import('./deliver.ts')).mirrorSession(session, path, place),
  deliver: async (log, env = {}) => (await import('./deliver.ts')).deliver(log, { root: log.root, env }),
}
