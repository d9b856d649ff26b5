// The checkpoint a branch ends with: the one of its last commit, or of an older one that no other branch had before it.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fetchCommand, remoteMetadataRef } from '../checkpoints/copies.ts'
import { metadataRef } from '../checkpoints/layout.ts'
import { type LinkedCommit, linkCheckpoints } from '../checkpoints/links.ts'
import { listCheckpoints, readCheckpoint, type StoredCheckpoint } from '../checkpoints/read.ts'
import { type FetchOptions, fetchCheckpoint } from '../checkpoints/sync-ref.ts'
import type { Branches } from '../git/branches.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import { readConfig } from '../git/config.ts'
import { readLog } from '../git/log.ts'
import type { Repo } from '../git/repo.ts'
import { readTrailer } from '../git/trailers.ts'
import type { Session } from '../model/session.ts'
import { listSessionIds, readSession, sessionsDir } from '../sessions/store.ts'
import type { Recorder } from '../sessions/work.ts'
import { EntireError } from '../std/errors.ts'
import { findPushTarget, type PushTarget } from '../sync/push.ts'

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

// Sessions by id, also those of other machines: what is stored says which checkpoint holds a session last.

const commitsLookedAt = 200
// `v1*` and not `v1`: without a wildcard git would look for refs below it. A ref that does not exist is then no error.
const places = ['refs/entire/checkpoints', `${metadataRef}*`, `${remoteMetadataRef}*`].map(
  (ref) => `--glob=${ref}`,
)

/** Ids of sessions that begin like this: those recorded here, else those in stored checkpoints. */
export async function findSessionIds(repo: Repo, objects: ObjectReader, prefix: string): Promise<string[]> {
  const known = [...listSessionIds(repo)].filter((id) => id.startsWith(prefix))
  if (known.length > 0) return known.sort()
  const stored = await readStoredSessions(repo, objects, prefix)
  return [...new Set(stored.map(({ session }) => session))].sort()
}

/** The newest checkpoint a session is part of. */
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

/** The sessions that were last heard of, newest first; only so many states are read. */
export function readRecentSessions(repo: Repo, count: number): Session[] {
  const heardOf = (id: string) =>
    statSync(join(sessionsDir(repo), `${id}.json`), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return [...listSessionIds(repo)]
    .map((id) => ({ id, at: heardOf(id) }))
    .sort((a, b) => b.at - a.at)
    .slice(0, count)
    .flatMap(({ id }) => readSession(repo, id) ?? [])
}

interface StoredIn {
  session: string
  checkpoint: string
}

// The commits that wrote checkpoints name their sessions. A shallow clone has few of them, but all the checkpoints.
async function readStoredSessions(repo: Repo, objects: ObjectReader, prefix: string): Promise<StoredIn[]> {
  const commits = await readLog(repo, [
    `-${commitsLookedAt}`,
    '--fixed-strings',
    `--grep=Entire-Session: ${prefix}`,
    ...places,
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

// Session data that is not in this clone: asked for where checkpoints are pushed to, then at origin.

/** False when nobody has it. A remote that cannot be reached is an error: nobody knows what it has. */
export async function fetchStored(
  recorder: Recorder,
  objects: ObjectReader,
  id: string,
  options: FetchOptions & { say(line: string): void },
): Promise<boolean> {
  const { repo, clock } = recorder
  const { author, remotes } = await readConfig(repo)
  const failures: string[] = []
  for (const target of await findSources(recorder, remotes)) {
    options.say(`Fetching session metadata from ${target.label}...`)
    const result = await fetchCheckpoint(
      { ...target, repo, objects, author, clock, say: options.say },
      id,
      options,
    )
    if (result.kind === 'fetched' && (await readCheckpoint(objects, id)) !== undefined) return true
    if (result.kind === 'failed') failures.push(`${target.label} (${result.why})`)
  }
  if (failures.length === 0) return false
  throw new EntireError(
    'git-failed',
    `Session metadata could not be fetched from ${failures.join(' and ')}.`,
    {
      hint: `Make sure the remote can be reached, then run \`${fetchCommand}\` or this command again.`,
    },
  )
}

async function findSources({ repo, settings }: Recorder, remotes: string[]): Promise<PushTarget[]> {
  const origin = remotes.includes('origin') ? [{ remote: 'origin', label: 'origin' }] : []
  const set = settings.checkpointRemote && (await findPushTarget(repo, 'origin', settings.checkpointRemote))
  return set === undefined || typeof set === 'string' || set.remote === 'origin' ? origin : [set, ...origin]
}
