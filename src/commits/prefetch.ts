// Asks git what the hooks of a commit need while the rest of the program is being loaded. Each hook is handed
// one value with the answers; git starts no process for a question that is not asked.

import { copyNames } from '../checkpoints/copies.ts'
import { checkpointRef, shadowRef } from '../checkpoints/layout.ts'
import type { PrefetchedCatFile } from '../git/cat-file-process.ts'
import { type CommitInfo, readCommit, readHeadCommit, readStaged, readStagedAmong } from '../git/commit.ts'
import type { Repo } from '../git/repo.ts'
import type { ChangedFile } from '../git/tree-diff.ts'
import { type GitSession, openGit } from '../sessions/git-session.ts'
import { type LiveSession, peekLive } from '../sessions/live-peek.ts'
import { recordingStamp } from '../sessions/prefetch-status.ts'
import { prefetch } from '../std/prefetch.ts'
import { readPending } from './pending.ts'

/** What `prepare-commit-msg` asks: the changes that are about to be committed. */
export interface StagedCommit {
  git: GitSession
  /** Staged files that sessions have changed; empty when only `all()` can tell. */
  ofSessions: Promise<ChangedFile[]>
  /** Everything that is staged. */
  all(): Promise<ChangedFile[]>
}

/** Sources of messages that keep the link they have, or get none. */
const neverLinked = ['commit', 'merge', 'squash']

/** More files than this are not asked for one by one. */
const maxFiles = 64

export function prefetchStagedCommit(repo: Repo, source: string, catFile?: PrefetchedCatFile): StagedCommit {
  const sessions = neverLinked.includes(source) ? [] : peekLive(repo)
  const git = openGit(repo, { reading: { index: repo.env.GIT_INDEX_FILE, prefetched: catFile } })
  let staged: Promise<ChangedFile[]> | undefined
  const all = () => {
    staged ??= prefetch(readStaged(repo))
    return staged
  }
  if (sessions.length === 0) return { git, ofSessions: Promise.resolve([]), all }
  const files = new Set(sessions.flatMap((session) => session.files))
  git.prefetch('objects')
  prefetchSteps(git, repo, sessions)
  // Any file may be the work of a running turn: its transcript tells.
  if (sessions.some(({ active }) => active) || files.size > maxFiles) {
    all()
    return { git, ofSessions: Promise.resolve([]), all }
  }
  // Where this fails, everything that is staged is asked for.
  return { git, ofSessions: readStagedAmong(git.objects, [...files]).catch(() => []), all }
}

/** What `post-commit` asks: the commit that was just made. */
export interface MadeCommit {
  git: GitSession
  head(): Promise<CommitInfo | undefined>
  /** Answers about refs hold while this has not changed. */
  stamp: string
}

/** Only a commit that was promised a checkpoint is worth asking ahead for. */
export function prefetchMadeCommit(repo: Repo, catFile?: PrefetchedCatFile): MadeCommit {
  const stamp = recordingStamp(repo)
  const git = openGit(repo, { reading: { prefetched: catFile } })
  const pending = readPending(repo).at(-1)
  if (pending === undefined) return { git, head: () => readCommit(repo, 'HEAD'), stamp }
  const head = prefetch(readHeadCommit(repo, git.objects))
  prefetchSteps(git, repo, peekLive(repo))
  prefetch(git.objects.info(checkpointRef(pending.checkpoint)))
  for (const name of copyNames(pending.checkpoint).flat()) prefetch(git.objects.contents(name))
  return { git, head: () => head, stamp }
}

// The session of git keeps the answers.
function prefetchSteps({ objects }: GitSession, { worktreeId }: Repo, sessions: LiveSession[]): void {
  const names = sessions.flatMap(({ base, files }) =>
    files.map((path) => `${shadowRef(base, worktreeId)}:${path}`),
  )
  for (const base of new Set(sessions.map((session) => session.base))) {
    prefetch(objects.info(shadowRef(base, worktreeId)))
    prefetch(objects.contents(shadowRef(base, worktreeId)))
  }
  for (const name of names.length > maxFiles ? [] : names) prefetch(objects.info(name))
}
