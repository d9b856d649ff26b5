// Finds the checkpoint to resume from: the last one of a branch or of a session.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { remoteMetadataRef } from '../checkpoints/copies.ts'
import { metadataRef } from '../checkpoints/layout.ts'
import { type LinkedCommit, linkCheckpoints } from '../checkpoints/links.ts'
import { listCheckpoints, readCheckpoint, type StoredCheckpoint } from '../checkpoints/read.ts'
import type { Branches } from '../git/branches.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import { readLog } from '../git/log.ts'
import type { Repo } from '../git/repo.ts'
import { readTrailer } from '../git/trailers.ts'
import type { Session } from '../model/session.ts'
import { listSessionIds, readSession, sessionsDir } from '../sessions/store.ts'

const commitsWalked = 100

export interface BranchCheckpoint extends LinkedCommit {
  /** Commits after it, merges not counted. */
  newer: number
}

/**
 * `rev` is the tip of the branch `name`. Commits that are also on the default branch do not count as the
 * branch's.
 */
export async function findBranchCheckpoint(
  repo: Repo,
  objects: ObjectReader,
  target: { rev: string; name: string | undefined; branches: Branches },
): Promise<BranchCheckpoint | undefined> {
  const { default: defaultBranch } = target.branches
  const isDefault = defaultBranch?.replace(/^refs\/(?:heads|remotes\/origin)\//, '') === target.name
  const exclude = defaultBranch === undefined || isDefault ? [] : ['--not', defaultBranch]
  const history = await readLog(repo, [`-${commitsWalked}`, '--first-parent', target.rev, ...exclude])
  // A merged branch has no commits of its own: its last one is taken.
  const commits = history.length > 0 ? history : await readLog(repo, ['-1', target.rev])
  const found = (await linkCheckpoints(objects, commits))[0]
  if (found === undefined) return undefined
  const after = commits.slice(0, commits.indexOf(found.commit))
  return { ...found, newer: after.filter((commit) => commit.parents.length < 2).length }
}

/** The newest of these checkpoints that this clone has. A squashed commit names several. */
export async function readNewestCheckpoint(
  objects: ObjectReader,
  ids: string[],
): Promise<StoredCheckpoint | undefined> {
  const stored = await Promise.all(ids.map((id) => readCheckpoint(objects, id)))
  return stored
    .filter((found) => found !== undefined)
    .sort((a, b) => createdAt(b).localeCompare(createdAt(a)))[0]
}

function createdAt(checkpoint: StoredCheckpoint): string {
  return checkpoint.sessions.at(-1)?.createdAt ?? ''
}

const metadataCommitsRead = 200
// `v1*`, because without a wildcard git looks for refs below `v1`. A glob without a match is not an error.
const metadataRefs = ['refs/entire/checkpoints', `${metadataRef}*`, `${remoteMetadataRef}*`].map(
  (ref) => `--glob=${ref}`,
)

/** Ids of sessions with this prefix: those recorded here, else those in stored checkpoints. */
export async function findSessionIds(repo: Repo, objects: ObjectReader, prefix: string): Promise<string[]> {
  const known = [...listSessionIds(repo)].filter((id) => id.startsWith(prefix))
  if (known.length > 0) return known.sort()
  const stored = await readStoredSessions(repo, objects, prefix)
  return [...new Set(stored.map(({ session }) => session))].sort()
}

/** The newest checkpoint that holds the session. */
export async function findLastCheckpoint(
  repo: Repo,
  objects: ObjectReader,
  session: string,
): Promise<string | undefined> {
  const state = readSession(repo, session)
  const known = state?.lastCheckpoint ?? state?.turnCheckpoints.at(-1)
  if (known !== undefined) return known
  return (await readStoredSessions(repo, objects, session)).find((stored) => stored.session === session)
    ?.checkpoint
}

/** The `count` sessions with the latest activity, newest first. Other states are not read. */
export function readRecentSessions(repo: Repo, count: number): Session[] {
  const changedAt = (id: string) =>
    statSync(join(sessionsDir(repo), `${id}.json`), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return [...listSessionIds(repo)]
    .map((id) => ({ id, at: changedAt(id) }))
    .sort((a, b) => b.at - a.at)
    .slice(0, count)
    .flatMap(({ id }) => readSession(repo, id) ?? [])
}

interface StoredPlace {
  session: string
  checkpoint: string
}

// Commits of the metadata branch name their sessions. A shallow clone lacks most of them, but has all
// checkpoints.
async function readStoredSessions(repo: Repo, objects: ObjectReader, prefix: string): Promise<StoredPlace[]> {
  const commits = await readLog(repo, [
    `-${metadataCommitsRead}`,
    '--fixed-strings',
    `--grep=Entire-Session: ${prefix}`,
    ...metadataRefs,
  ])
  const written = commits.flatMap(({ subject, message }) => {
    const checkpoint = /^Checkpoint: (\S+)$/.exec(subject)?.[1]
    const sessions = readTrailer(message, 'Entire-Session').filter((session) => session.startsWith(prefix))
    return checkpoint === undefined ? [] : sessions.map((session) => ({ session, checkpoint }))
  })
  if (written.length > 0) return written
  const stored = (await listCheckpoints(repo, objects)).flatMap(({ checkpoint, sessions }) =>
    sessions.map(({ session }) => ({ session, checkpoint })),
  )
  return stored.filter(({ session }) => session.startsWith(prefix))
}
