// Sessions by id, also those of other machines: what is stored says which checkpoint holds a session last.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { metadataRef } from '../checkpoints/layout.ts'
import { remoteMetadataRef } from '../checkpoints/places.ts'
import { listCheckpoints } from '../checkpoints/read.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import { readLog } from '../git/log.ts'
import type { Repo } from '../git/repo.ts'
import { readTrailer } from '../git/trailers.ts'
import type { Session } from '../model/session.ts'
import { listSessionIds, readSession, sessionsDir } from './store.ts'

const commitsLookedAt = 200
// `v1*` and not `v1`: without a wildcard git would look for refs below it. A ref that does not exist is then no error.
const places = ['refs/entire/checkpoints', `${metadataRef}*`, `${remoteMetadataRef}*`].map((ref) => `--glob=${ref}`)

/** Ids of sessions that begin like this: those recorded here, else those in stored checkpoints. */
export async function findSessionIds(repo: Repo, objects: ObjectReader, prefix: string): Promise<string[]> {
  const known = [...listSessionIds(repo)].filter((id) => id.startsWith(prefix))
  if (known.length > 0) return known.sort()
  const stored = await readStoredSessions(repo, objects, prefix)
  return [...new Set(stored.map(({ session }) => session))].sort()
}

/** The newest checkpoint a session is part of. */
export async function findLastCheckpoint(repo: Repo, objects: ObjectReader, session: string): Promise<string | undefined> {
  const state = readSession(repo, session)
  const known = state?.lastCheckpoint ?? state?.turnCheckpoints.at(-1)
  if (known !== undefined) return known
  return (await readStoredSessions(repo, objects, session)).find((stored) => stored.session === session)?.checkpoint
}

/** The sessions that were last heard of, newest first; only so many states are read. */
export function readRecentSessions(repo: Repo, count: number): Session[] {
  const heardOf = (id: string) => statSync(join(sessionsDir(repo), `${id}.json`), { throwIfNoEntry: false })?.mtimeMs ?? 0
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
  const commits = await readLog(repo, [`-${commitsLookedAt}`, '--fixed-strings', `--grep=Entire-Session: ${prefix}`, ...places])
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
