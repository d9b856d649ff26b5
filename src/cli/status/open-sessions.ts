// The sessions that have not ended, in all work trees.
import type { Repo } from '../../git/repo.ts'
import { isActive, type Session } from '../../model/session.ts'
import { lastSign, listHeads, readState } from '../../session/state-heads.ts'

export interface OpenSessions {
  /** Those at work first, then by when they were last heard of. */
  sessions: Session[]
  /** How many more there are. */
  more: number
  /** Of all sessions, also ended ones. */
  total: number
  unreadable: string[]
}

/** Only the states that are shown are read whole. */
export function readOpenSessions(repo: Repo, limit = Number.POSITIVE_INFINITY): OpenSessions {
  const { heads, unreadable } = listHeads(repo)
  const open = heads
    .filter((head) => head.endedAt === undefined)
    .sort((a, b) => Number(isActive(b)) - Number(isActive(a)) || lastSign(b) - lastSign(a))
  const shown = open.slice(0, limit).map(({ id }) => ({ id, session: readState(repo, id) }))
  return {
    sessions: shown.flatMap(({ session }) => session ?? []),
    more: Math.max(0, open.length - limit),
    total: heads.length,
    unreadable: [...unreadable, ...shown.filter(({ session }) => session === undefined).map(({ id }) => id)],
  }
}
