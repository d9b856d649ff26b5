// Commits made during a turn in a shell that switches git hooks off: found at the end of the turn, and linked by a note, because
// the user's commits are never rewritten.
import { readCommits } from '../git/commit.ts'
import { readCheckpointIds } from '../git/trailers.ts'
import { isActive, type Session } from '../model/session.ts'
import { readPrePrompt } from './pre-prompt.ts'
import { readSession } from './store.ts'
import type { GitSide, Recorder } from './work.ts'

const maxCommits = 50

/** The session as it is after its unnoticed commits got their checkpoints. */
export async function adoptCommits(recorder: Recorder, git: GitSide, session: Session): Promise<Session> {
  const { head } = await git.status()
  if (!isActive(session) || session.turnHead === undefined || head === undefined || head === session.turnHead) return session
  const since = Math.floor((readPrePrompt(recorder.repo, session.id)?.at ?? 0) / 1000)
  const range = ['--first-parent', '--reverse', `--max-count=${maxCommits}`, `${session.turnHead}..${head}`]
  const commits = (await readCommits(recorder.repo, range)).filter(
    (commit) => commit.committedAt >= since && readCheckpointIds(commit.message).length === 0,
  )
  for (const commit of commits) await (await import('./adopt-commit.ts')).adopt(recorder, commit)
  return readSession(recorder.repo, session.id) ?? session
}
