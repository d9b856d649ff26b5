// The head of a checkpoint is the union of its sessions: what it does not say itself, or cannot say because it is lost, they say.
import type { CheckpointRecord, SessionRecord } from '../model/checkpoint.ts'
import { addTokens, type TokenUsage } from '../model/tokens.ts'

export function joinSessions(sessions: SessionRecord[], head: CheckpointRecord | undefined): Omit<CheckpointRecord, 'checkpoint'> {
  const newest = sessions.at(-1)
  const cliVersion = head?.cliVersion ?? newest?.cliVersion
  const branch = head?.branch ?? newest?.branch
  const tokens = head?.tokens ?? sum(sessions)
  return {
    ...(cliVersion === undefined ? {} : { cliVersion }),
    strategy: head?.strategy || newest?.strategy || '',
    ...(branch === undefined ? {} : { branch }),
    steps: head?.steps ?? sessions.reduce((steps, session) => steps + session.steps, 0),
    files: head && head.files.length > 0 ? head.files : [...new Set(sessions.flatMap((session) => session.files))].sort(),
    sessionCount: sessions.length,
    ...(tokens === undefined ? {} : { tokens }),
  }
}

function sum(sessions: SessionRecord[]): TokenUsage | undefined {
  const usages = sessions.flatMap((session) => session.tokens ?? [])
  return usages.length === 0 ? undefined : usages.reduce(addTokens)
}
