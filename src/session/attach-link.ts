// Ways to say which checkpoint a commit has, after it was made: in its message, when the user wants it amended, else by a note.
import { notesRef } from '../checkpoints/layout.ts'
import type { CommitInfo } from '../git/commit.ts'
import { git } from '../git/exec.ts'
import { appendTrailer, checkpointTrailer } from '../git/trailers.ts'
import { postRewrite } from './post-rewrite.ts'
import { type GitSide, openGit, type Recorder } from './work.ts'

/** Adds the note to the import; what an earlier note says stays. */
export async function writeNote(recorder: Recorder, side: GitSide, commit: string, checkpoint: string): Promise<void> {
  const parent = (await side.objects.info(notesRef))?.oid
  const before = parent === undefined ? undefined : await side.objects.contents(`${notesRef}:${commit}`)
  const text = before === undefined ? '' : `${before.content.toString('utf8').trimEnd()}\n\n`
  side.writes().commit({
    ref: notesRef,
    parent,
    message: `Link ${commit.slice(0, 12)} to checkpoint ${checkpoint}\n`,
    author: (await side.config()).author,
    seconds: Math.floor(recorder.clock().getTime() / 1000),
    changes: [{ path: commit, mode: '100644', content: Buffer.from(`${text}${checkpointTrailer}: ${checkpoint}\n`) }],
  })
}

export async function linkByNote(recorder: Recorder, commit: string, checkpoint: string): Promise<void> {
  await using side = openGit(recorder.repo)
  await writeNote(recorder, side, commit, checkpoint)
  await side.commit()
}

/** The id of the commit that took its place; undefined when git refuses. Index and work tree stay as they are. */
export async function amendWithTrailer(recorder: Recorder, commit: CommitInfo, checkpoint: string): Promise<string | undefined> {
  const { repo } = recorder
  // Nothing in a finished message is a comment.
  const message = appendTrailer(commit.message, checkpointTrailer, checkpoint, '\0')
  // --only without paths: the tree of the commit, whatever is staged. No hooks: the user's would check work that is not new, and ours
  // would take the commit for work of the sessions that are open.
  const options = ['--quiet', '--amend', '--only', '--allow-empty', '--allow-empty-message', '--no-verify', '--cleanup=verbatim']
  const { code } = await git(repo, ['-c', 'core.hooksPath=/dev/null', 'commit', ...options, '-F', '-'], {
    stdin: message,
    accept: [1, 128],
  })
  if (code !== 0) return undefined
  const head = (await git(repo, ['rev-parse', 'HEAD'])).stdout.toString('latin1').trim()
  await postRewrite(recorder, 'amend', `${commit.oid} ${head}\n`)
  return head
}
