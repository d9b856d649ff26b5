// What the hooks of a commit ask git at once, while the rest of the program is being loaded.
import { type ChangedFile, type CommitInfo, readCommit, readStaged } from '../git/commit.ts'
import type { Repo } from '../git/repo.ts'
import { listsSessions } from './live-file.ts'
import { readPending } from './pending-commit.ts'
import { type GitSide, openGit } from './work.ts'

export interface BegunLink {
  git: GitSide
  staged: Promise<ChangedFile[]>
}

/** Sources of messages that keep the link they have, or get none. */
const neverLinked = ['commit', 'merge', 'squash']

export function beginLink(repo: Repo, source: string): BegunLink | undefined {
  if (neverLinked.includes(source) || !listsSessions(repo)) return undefined
  const git = openGit(repo)
  const staged = heard(readStaged(repo))
  git.warm('objects')
  return { git, staged }
}

export interface BegunCommit {
  git: GitSide
  head: Promise<CommitInfo | undefined>
}

/** Of a commit that was promised a checkpoint there will be something to write. */
export function beginCommit(repo: Repo): BegunCommit | undefined {
  if (readPending(repo) === undefined) return undefined
  const git = openGit(repo)
  const head = heard(readCommit(repo, 'HEAD'))
  git.warm('objects', 'writes')
  return { git, head }
}

// Whoever needs the answer hears of its failure.
function heard<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => {})
  return answer
}
