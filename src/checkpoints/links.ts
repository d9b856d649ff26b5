// Which commits belong to which checkpoints: by their trailers, or by notes where a commit could not carry one.
import type { ObjectReader } from '../git/cat-file.ts'
import type { LogEntry } from '../git/log.ts'
import { readCheckpointIds } from '../git/trailers.ts'
import { readNotesOf } from './notes.ts'

export interface LinkedCommit {
  commit: LogEntry
  /** Ids named by trailers and notes, in that order. */
  checkpoints: string[]
}

/** The commits that are linked to checkpoints, by trailer or by note. */
export async function linkCheckpoints(objects: ObjectReader, history: LogEntry[]): Promise<LinkedCommit[]> {
  const notes = await readNotesOf(
    objects,
    history.map(({ oid }) => oid),
  )
  return history
    .map((commit) => ({ commit, checkpoints: [...new Set([...readCheckpointIds(commit.message), ...(notes.get(commit.oid) ?? [])])] }))
    .filter(({ checkpoints }) => checkpoints.length > 0)
}
