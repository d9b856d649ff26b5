// Commits whose link leads nowhere: the checkpoint they name is not stored here, or its record cannot be read.
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

/** Among the newest commits of this branch, newest first. */
export async function findDangling(repo: Repo, objects: ObjectReader, limit: number): Promise<DanglingLink[]> {
  const linked = await linkCheckpoints(objects, await readLog(repo, [`-${limit}`, 'HEAD']))
  const links = linked.flatMap(({ commit, checkpoints }) => checkpoints.map((checkpoint) => ({ commit: commit.oid, checkpoint })))
  const found = await Promise.all(links.map(({ checkpoint }) => readCheckpoint(objects, checkpoint)))
  const dangling = links.filter((_, index) => found[index] === undefined)
  return Promise.all(dangling.map(async (link) => ({ ...link, isStored: await isStored(objects, link.checkpoint) })))
}

async function isStored(objects: ObjectReader, id: string): Promise<boolean> {
  for await (const _place of findPlaces(objects, id)) return true
  return false
}
