// A commit that no hook told of becomes a checkpoint like any other, linked by a note.

import { notesRef } from '../checkpoints/layout.ts'
import { type CommitInfo, readCommit } from '../git/commit.ts'
import { checkpointTrailer, readCheckpointIds } from '../git/trailers.ts'
import { readLive } from '../sessions/live-index.ts'
import { lockFile, retrying } from '../sessions/save.ts'
import { openGit, type Recorder } from '../sessions/work.ts'
import { takeLock } from '../std/lock.ts'
import { newCheckpointId } from './pending.ts'
import { condenseCommit } from './post-commit.ts'

const lockWaitMs = 10_000

/** A commit that the agent itself says it made. */
export async function adoptCommit(recorder: Recorder, oid: string): Promise<void> {
  using _lock = await takeLock(lockFile(recorder.repo), { waitMs: lockWaitMs })
  const commit = await readCommit(recorder.repo, oid)
  if (commit === undefined || readCheckpointIds(commit.message).length > 0) return
  await retrying(() => adopt(recorder, commit))
}

/** Gives the commit its checkpoint and its note. Under the lock. */
export async function adopt(recorder: Recorder, commit: CommitInfo): Promise<void> {
  await using git = openGit(recorder.repo)
  const notes = (await git.objects.info(notesRef))?.oid
  if (notes !== undefined && (await git.objects.info(`${notesRef}:${commit.oid}`)) !== undefined) return
  const live = readLive(recorder.repo)
  const checkpoint = newCheckpointId(recorder)
  await condenseCommit(recorder, git, live, commit, checkpoint, {
    // Pulled commits of others come without hooks too: only files of the session make a commit its own.
    committer: { session: undefined, hasTerminal: true },
    link: async () => {
      git.writes().commit({
        ref: notesRef,
        parent: notes,
        message: `Link ${commit.oid.slice(0, 12)} to checkpoint ${checkpoint}\n`,
        author: (await git.config()).author,
        seconds: Math.floor(recorder.clock().getTime() / 1000),
        changes: [
          { path: commit.oid, mode: '100644', content: Buffer.from(`${checkpointTrailer}: ${checkpoint}\n`) },
        ],
      })
    },
  })
}
