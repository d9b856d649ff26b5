// Examines stored checkpoints: how the metadata branch relates to the fetched copies of remotes, and which
// links are broken.
import type { ObjectReader } from '../git/cat-file.ts'
import { git } from '../git/exec.ts'
import { readLog } from '../git/log.ts'
import type { Oid } from '../git/oid.ts'
import { listRefs } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { findCopies } from './copies.ts'
import { metadataBranch, metadataRef } from './layout.ts'
import { linkCheckpoints } from './links.ts'
import { readPurged } from './purged.ts'
import { readCheckpoint } from './read.ts'

export interface MetadataCopy {
  remote: string
  oid: Oid
  /** `diverged`: both have checkpoints that the other lacks. `unrelated`: they have no common history. */
  relation: 'connected' | 'diverged' | 'unrelated'
}

export interface MetadataHealth {
  /** `unreadable`: the branch exists, but its commit or tree is missing. */
  local: 'absent' | 'readable' | 'unreadable'
  copies: MetadataCopy[]
}

export async function readMetadataHealth(repo: Repo, objects: ObjectReader): Promise<MetadataHealth> {
  const refs = await listRefs(repo, metadataRef, `refs/remotes/*/${metadataBranch}`)
  const local = refs.find(({ ref }) => ref === metadataRef)?.oid
  const remotes = refs.filter(({ ref }) => ref !== metadataRef)
  const isReadable = local !== undefined && (await objects.info(`${local}^{tree}`)) !== undefined
  const copies = remotes.map(async ({ ref, oid }): Promise<MetadataCopy> => {
    const remote = ref.slice('refs/remotes/'.length, -metadataBranch.length - 1)
    return { remote, oid, relation: isReadable ? await relate(repo, local, oid) : 'connected' }
  })
  return {
    local: isReadable ? 'readable' : await describeAbsence(repo, local),
    copies: await Promise.all(copies),
  }
}

async function relate(repo: Repo, local: Oid, remote: Oid): Promise<MetadataCopy['relation']> {
  if (local === remote) return 'connected'
  const result = await git(repo, ['merge-base', local, remote], { accept: [1] })
  if (result.code === 1) return 'unrelated'
  const base = result.stdout.toString('latin1').trim()
  return base === local || base === remote ? 'connected' : 'diverged'
}

// Git leaves an unreadable ref out of its lists, and warns when asked for it by name.
async function describeAbsence(repo: Repo, local: Oid | undefined): Promise<'absent' | 'unreadable'> {
  if (local !== undefined) return 'unreadable'
  const { stderr } = await git(repo, ['rev-parse', '--verify', metadataRef], { accept: [128] })
  return stderr.includes('broken ref') ? 'unreadable' : 'absent'
}

/** A commit names a checkpoint that is not stored here or cannot be read. */
export interface DanglingLink {
  commit: Oid
  checkpoint: string
  /** Something is stored under the id, but cannot be read. */
  isStored: boolean
}

/** A commit names a checkpoint of which sessions are missing. */
export interface IncompleteLink {
  commit: Oid
  checkpoint: string
  lostSessions: number
}

export interface BrokenLinks {
  dangling: DanglingLink[]
  incomplete: IncompleteLink[]
}

/** The broken links among the newest commits of this branch, newest first. */
export async function findBrokenLinks(
  repo: Repo,
  objects: ObjectReader,
  limit: number,
): Promise<BrokenLinks> {
  const linked = await linkCheckpoints(objects, await readLog(repo, [`-${limit}`, 'HEAD']))
  // The message of a commit still names a checkpoint that was purged on purpose.
  const purged = new Set(readPurged(repo).checkpoints)
  const links = linked.flatMap(({ commit, checkpoints }) =>
    checkpoints
      .filter((checkpoint) => !purged.has(checkpoint))
      .map((checkpoint) => ({ commit: commit.oid, checkpoint })),
  )
  const found = await Promise.all(links.map(({ checkpoint }) => readCheckpoint(objects, checkpoint)))
  const dangling = links.filter((_, index) => found[index] === undefined)
  return {
    dangling: await Promise.all(
      dangling.map(async (link) => ({ ...link, isStored: await isStored(objects, link.checkpoint) })),
    ),
    incomplete: links.flatMap((link, index) => {
      const lostSessions = found[index]?.lostSessions ?? 0
      return lostSessions === 0 ? [] : [{ ...link, lostSessions }]
    }),
  }
}

async function isStored(objects: ObjectReader, id: string): Promise<boolean> {
  for await (const _copy of findCopies(objects, id)) return true
  return false
}
