// What somebody still needs: sessions that go on or whose work is not committed, and the branches their steps are on.
import { oldShadowRef, shadowRef } from '../checkpoints/layout.ts'
import { isActive, type Session } from '../model/session.ts'
import { parseTime } from '../std/time.ts'

/** Nobody goes on with a conversation after so long without a word, and if somebody does, nothing is missing. */
const silentMs = 7 * 24 * 60 * 60 * 1000

/** Steps that no commit has taken yet. */
export function holdsSteps(session: Pick<Session, 'stepCount' | 'filesTouched'>): boolean {
  return session.stepCount > 0 || session.filesTouched.length > 0
}

/** Why a session must be left alone; undefined when nothing would be missed with it. */
export function whyInUse(session: Session, now: Date): string | undefined {
  if (isActive(session)) return 'a turn is running'
  if (holdsSteps(session)) return 'holds work that is not committed yet'
  if (session.turnCheckpoints.length > 0) return 'has a checkpoint to complete (run `entire doctor`)'
  if (session.phase === 'ended' || session.endedAt !== undefined) return undefined
  const lastSign = parseTime(session.lastInteraction ?? session.startedAt)?.getTime() ?? 0
  return now.getTime() - lastSign < silentMs ? 'has not ended' : undefined
}

/** The branches a session's steps may be on; the older form has no work tree in its name. */
export function shadowsOf(session: Pick<Session, 'baseCommit' | 'worktreeId'>): string[] {
  if (session.baseCommit === '') return []
  return [shadowRef(session.baseCommit, session.worktreeId), oldShadowRef(session.baseCommit)]
}

/** Whether steps of the session are on a branch, or are about to be. */
export function needsBranch(session: Session): boolean {
  return isActive(session) || holdsSteps(session)
}
