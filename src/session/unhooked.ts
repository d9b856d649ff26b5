// Commits made during a turn in a shell that switches git hooks off: found at the end of the turn, and linked by a note, because
// the user's commits are never rewritten.
import { notesRef } from '../checkpoints/layout.ts'
import { type CommitInfo, readCommit, readCommits } from '../git/commit.ts'
import { checkpointTrailer, readCheckpointIds } from '../git/trailers.ts'
import { isActive, type Session } from '../model/session.ts'
import { takeLock } from '../std/lock.ts'
import { newCheckpointId } from './checkpoint-id.ts'
import { readLive, writeLive } from './live.ts'
import { lockFile, retrying } from './persist.ts'
import { condenseCommit } from './post-commit.ts'
import { readPrePrompt } from './pre-prompt.ts'
import { readSession } from './store.ts'
import { type GitSide, openGit, type Recorder } from './work.ts'

const maxCommits = 50
const lockWaitMs = 10_000

/** The session as it is after its unnoticed commits got their checkpoints. */
export async function adoptCommits(recorder: Recorder, git: GitSide, session: Session): Promise<Session> {
  const { head } = await git.status()
  if (!isActive(session) || session.turnHead === undefined || head === undefined || head === session.turnHead) return session
  const since = Math.floor((readPrePrompt(recorder.repo, session.id)?.at ?? 0) / 1000)
  const range = ['--first-parent', '--reverse', `--max-count=${maxCommits}`, `${session.turnHead}..${head}`]
  const commits = (await readCommits(recorder.repo, range)).filter(
    (commit) => commit.committedAt >= since && readCheckpointIds(commit.message).length === 0,
  )
  for (const commit of commits) await adopt(recorder, commit)
  return readSession(recorder.repo, session.id) ?? session
}

/** A commit that the agent itself says it made. */
export async function adoptCommit(recorder: Recorder, oid: string): Promise<void> {
  using _lock = await takeLock(lockFile(recorder.repo), { waitMs: lockWaitMs })
  const commit = await readCommit(recorder.repo, oid)
  if (commit === undefined || readCheckpointIds(commit.message).length > 0) return
  await retrying(() => adopt(recorder, commit))
}

async function adopt(recorder: Recorder, commit: CommitInfo): Promise<void> {
  await using git = openGit(recorder.repo)
  const notes = (await git.objects.info(notesRef))?.oid
  if (notes !== undefined && (await git.objects.info(`${notesRef}:${commit.oid}`)) !== undefined) return
  const live = readLive(recorder.repo)
  const checkpoint = newCheckpointId(recorder)
  await condenseCommit(recorder, git, live, commit, checkpoint, {
    // Pulled commits of others come without hooks too: only files of the session make a commit its own.
    caller: { session: undefined, hasTerminal: true },
    link: async () => {
      git.writes().commit({
        ref: notesRef,
        parent: notes,
        message: `Link ${commit.oid.slice(0, 12)} to checkpoint ${checkpoint}\n`,
        author: (await git.config()).author,
        seconds: Math.floor(recorder.clock().getTime() / 1000),
        changes: [{ path: commit.oid, mode: '100644', content: Buffer.from(`${checkpointTrailer}: ${checkpoint}\n`) }],
      })
    },
  })
  writeLive(recorder.repo, live)
}
