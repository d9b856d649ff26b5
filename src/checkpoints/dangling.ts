// Commits whose link leads nowhere, or not to all of it: what they name is not stored here, or cannot be read.
import type { ObjectReader } from '../git/cat-file.ts'
import { readLog } from '../git/log.ts'
import type { Oid } from '../git/oid.ts'
import type { Repo } from '../git/repo.ts'
import { linkCheckpoints } from './links.ts'
import { findPlaces } from './places.ts'
import { readCheckpoint } from './read.ts'

export interface DanglingLink {
  commit: Oid
  checkpoint: string
  /** Something is stored under the id. */
  isStored: boolean
}

export interface IncompleteLink {
  commit: Oid
  checkpoint: string
  lostSessions: number
}

export interface BrokenLinks {
  dangling: DanglingLink[]
  incomplete: IncompleteLink[]
}

/** Among the newest commits of this branch, newest first. */
export async function findBrokenLinks(repo: Repo, objects: ObjectReader, limit: number): Promise<BrokenLinks> {
  const linked = await linkCheckpoints(objects, await readLog(repo, [`-${limit}`, 'HEAD']))
  const links = linked.flatMap(({ commit, checkpoints }) => checkpoints.map((checkpoint) => ({ commit: commit.oid, checkpoint })))
  const found = await Promise.all(links.map(({ checkpoint }) => readCheckpoint(objects, checkpoint)))
  const dangling = links.filter((_, index) => found[index] === undefined)
  return {
    dangling: await Promise.all(dangling.map(async (link) => ({ ...link, isStored: await isStored(objects, link.checkpoint) }))),
    incomplete: links.flatMap((link, index) => {
      const lostSessions = found[index]?.lostSessions ?? 0
      return lostSessions === 0 ? [] : [{ ...link, lostSessions }]
    }),
  }
}

async function isStored(objects: ObjectReader, id: string): Promise<boolean> {
  for await (const _place of findPlaces(objects, id)) return true
  return false
}
