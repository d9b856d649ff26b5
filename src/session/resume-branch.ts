// The checkpoint a branch ends with: the one of its last commit, or of an older one that no other branch had before it.
import { type LinkedCommit, linkCheckpoints } from '../checkpoints/links.ts'
import { readCheckpoint, type StoredCheckpoint } from '../checkpoints/read.ts'
import type { Branches } from '../git/branches.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import { readLog } from '../git/log.ts'
import type { Repo } from '../git/repo.ts'

const commitsWalked = 100

export interface BranchCheckpoint extends LinkedCommit {
  /** Commits after it, merges not counted. */
  newer: number
}

/** `rev` is the tip of the branch `name`; history that the default branch has too is not the branch's. */
export async function findBranchCheckpoint(
  repo: Repo,
  objects: ObjectReader,
  target: { rev: string; name: string | undefined; branches: Branches },
): Promise<BranchCheckpoint | undefined> {
  const start = target.branches.default
  const isDefault = start?.replace(/^refs\/(?:heads|remotes\/origin)\//, '') === target.name
  const own = start === undefined || isDefault ? [] : ['--not', start]
  const history = await readLog(repo, [`-${commitsWalked}`, '--first-parent', target.rev, ...own])
  // A branch that was merged has no commits of its own left, but still its last one.
  const commits = history.length > 0 ? history : await readLog(repo, ['-1', target.rev])
  const found = (await linkCheckpoints(objects, commits))[0]
  if (found === undefined) return undefined
  const after = commits.slice(0, commits.indexOf(found.commit))
  return { ...found, newer: after.filter((commit) => commit.parents.length < 2).length }
}

/** A squashed commit names several checkpoints: the newest one that is here. */
export async function readNewest(objects: ObjectReader, ids: string[]): Promise<StoredCheckpoint | undefined> {
  const stored = await Promise.all(ids.map((id) => readCheckpoint(objects, id)))
  return stored.filter((found) => found !== undefined).sort((a, b) => createdAt(b).localeCompare(createdAt(a)))[0]
}

function createdAt(checkpoint: StoredCheckpoint): string {
  return checkpoint.sessions.at(-1)?.createdAt ?? ''
}
