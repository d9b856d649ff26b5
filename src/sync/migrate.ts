// Moves checkpoints between the two storages, the metadata branch and refs of their own. First they are copied, and
// the copies compared; what both hold is then removed from the old one, if asked. A checkpoint is a tree, and the same
// tree in both, so ids and contents cannot change.

import { findStored, ownRef, ownRefs, remoteMetadataRef, type StoredTrees } from '../checkpoints/copies.ts'
import { checkpointDir, metadataRef } from '../checkpoints/layout.ts'
import { readPurged } from '../checkpoints/purged.ts'
import { type ObjectReader, openObjectReader } from '../git/cat-file.ts'
import { type Identity, readConfig } from '../git/config.ts'
import { startFastImport } from '../git/fast-import.ts'
import { readLog } from '../git/log.ts'
import type { Oid } from '../git/oid.ts'
import { moveRefs } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import type { Settings } from '../model/settings.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { retrying } from '../sessions/save.ts'
import { EntireError } from '../std/errors.ts'
import { countOf } from '../std/plural.ts'
import { queueRefs, readQueue } from './queue.ts'

export type Storage = Settings['checkpointsBackend']

/** Why a checkpoint stays in the old storage. */
export type Staying = 'ulid' | 'differs' | 'unpushed'

export interface Migration {
  to: Storage
  /** To be copied, or copied. */
  copies: string[]
  /** To be removed from the old storage, or removed. */
  removals: string[]
  stays: { id: string; why: Staying }[]
}

export interface MigrationOptions {
  to: Storage
  /** Removes from the old storage what both hold. */
  removes: boolean
  progress?(text: string): void
}

/** Changes nothing. */
export async function planMigration(recorder: Recorder, options: MigrationOptions): Promise<Migration> {
  await using objects = openObjectReader(recorder.repo)
  const stored = await findStored(recorder.repo, objects)
  const { copies, stays } = planCopies(recorder.repo, stored, options.to)
  const copied = withCopies(stored, copies, options.to)
  // Copies that are yet to be made will have to be pushed, too.
  const waiting = await findUnpushed(recorder, options.to, [...copies.keys()])
  const removals = options.removes ? planRemovals(copied, options.to, waiting) : noRemovals()
  return {
    to: options.to,
    copies: [...copies.keys()].sort(),
    removals: removals.ids,
    stays: sortStays([...stays, ...removals.stays]),
  }
}

/** A run that was killed is completed by the next one. */
export async function migrate(recorder: Recorder, options: MigrationOptions): Promise<Migration> {
  await using objects = openObjectReader(recorder.repo)
  const { repo } = recorder
  const { to } = options
  const before = await findStored(repo, objects)
  const { copies, stays } = planCopies(repo, before, to)
  if (copies.size > 0) await copiers[to]({ recorder, objects, options }, copies)
  const missing = findMissing(await findStored(repo, objects), copies, to)
  if (missing.length > 0)
    throw new EntireError(
      'write-failed',
      `${countOf(missing.length, 'checkpoint')} changed while being copied.`,
      {
        hint: 'Nothing was removed. Run the command again.',
      },
    )
  let removals = noRemovals()
  if (options.removes) {
    const waiting = await findUnpushed(recorder, to, [])
    await retrying(async () => {
      const stored = await findStored(repo, objects)
      removals = planRemovals(stored, to, waiting)
      if (removals.ids.length > 0) await removers[to](recorder, stored, removals.ids)
    })
  }
  return {
    to,
    copies: [...copies.keys()].sort(),
    removals: removals.ids,
    stays: sortStays([...stays, ...removals.stays]),
  }
}

type Copies = Map<string, Oid>
type Stays = Migration['stays']

/** A clone may have the branch, or a part of it, only as origin's. */
function treesOnBranch({ branch, origin }: StoredTrees): Copies {
  return new Map([...origin, ...branch])
}

function planCopies(repo: Repo, stored: StoredTrees, to: Storage): { copies: Copies; stays: Stays } {
  const purged = new Set(readPurged(repo).checkpoints)
  const onBranch = treesOnBranch(stored)
  if (to === 'git-refs') {
    const isNew = ([id, tree]: [string, Oid]) => stored.own.get(id)?.tree !== tree && !purged.has(id)
    return { copies: new Map([...onBranch].filter(isNew)), stays: [] }
  }
  const own = [...stored.own].map(([id, { tree }]) => ({ id, tree }))
  const stays = own.flatMap(({ id, tree }): Stays => {
    if (checkpointDir(id) === '') return [{ id, why: 'ulid' }]
    return (onBranch.get(id) ?? tree) === tree ? [] : [{ id, why: 'differs' }]
  })
  const kept = new Set(stays.map(({ id }) => id))
  const isNew = (id: string) => !onBranch.has(id) && !kept.has(id) && !purged.has(id)
  return { copies: new Map(own.flatMap(({ id, tree }) => (isNew(id) ? [[id, tree]] : []))), stays }
}

function withCopies({ branch, origin, own, tip }: StoredTrees, copies: Copies, to: Storage): StoredTrees {
  if (to === 'git-branch') return { branch: new Map([...branch, ...copies]), origin, own, tip }
  const copied = [...copies].map(([id, tree]) => [id, { commit: '', tree }] as const)
  return { branch, origin, own: new Map([...own, ...copied]), tip }
}

function findMissing(stored: StoredTrees, copies: Copies, to: Storage): string[] {
  const treeOf = (id: string) => (to === 'git-refs' ? stored.own.get(id)?.tree : stored.branch.get(id))
  return [...copies].flatMap(([id, tree]) => (treeOf(id) === tree ? [] : id))
}

interface Removals {
  ids: string[]
  stays: Stays
}

function noRemovals(): Removals {
  return { ids: [], stays: [] }
}

// Both storages have the same tree of these.
function planRemovals({ branch, own }: StoredTrees, to: Storage, unpushed: ReadonlySet<string>): Removals {
  const both = [...branch].filter(([id, tree]) => own.get(id)?.tree === tree).map(([id]) => id)
  if (to === 'git-branch') return { ids: both.sort(), stays: [] }
  return {
    ids: both.filter((id) => !unpushed.has(ownRef(id))).sort(),
    stays: both.flatMap((id): Stays => (unpushed.has(ownRef(id)) ? [{ id, why: 'unpushed' }] : [])),
  }
}

// The branch is pushed before the refs. Colleagues would find a checkpoint in neither if the push of its ref failed.
async function findUnpushed(recorder: Recorder, to: Storage, copies: string[]): Promise<Set<string>> {
  const { repo, settings } = recorder
  if (to === 'git-branch' || !settings.pushSessions) return new Set()
  const { remotes } = await readConfig(repo)
  return new Set(remotes.length === 0 ? [] : [...readQueue(repo), ...copies.map(ownRef)])
}

function sortStays(stays: Stays): Stays {
  return stays.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

interface Copying {
  recorder: Recorder
  objects: ObjectReader
  options: MigrationOptions
}

const copiers: Record<Storage, (copying: Copying, copies: Copies) => Promise<void>> = {
  'git-refs': copyToRefs,
  'git-branch': copyToBranch,
}

const chunkSize = 200

async function copyToRefs({ recorder, objects, options }: Copying, copies: Copies): Promise<void> {
  const { repo } = recorder
  const writers = await readWriters(repo, [metadataRef, remoteMetadataRef], recorder)
  const all = [...copies]
  for (let at = 0; at < all.length; at += chunkSize) {
    const chunk = all.slice(at, at + chunkSize)
    const refs = chunk.map(([id]) => ownRef(id))
    options.progress?.(`Copying checkpoints: ${at} of ${all.length}`)
    // Before: a copy that no push knows of would never leave. After: a push meanwhile forgets refs that are not there.
    queueRefs(repo, refs)
    await retrying(async () => {
      const tips = await Promise.all(refs.map((ref) => objects.info(ref)))
      const writes = startFastImport(repo)
      for (const [index, [id, tree]] of chunk.entries())
        writes.commit({
          ...writers(id),
          ref: refs[index] as string,
          parent: tips[index]?.oid,
          changes: [{ path: '', mode: '040000', oid: tree }],
        })
      await writes.finish()
    })
    queueRefs(repo, refs)
  }
}

// One import: all or none.
async function copyToBranch({ recorder, objects, options }: Copying, copies: Copies): Promise<void> {
  const { repo } = recorder
  options.progress?.(`Copying ${countOf(copies.size, 'checkpoint')}`)
  const writers = await readWriters(repo, [`--glob=${ownRefs}`], recorder)
  await retrying(async () => {
    const parent = (await objects.info(metadataRef)) ?? (await objects.info(remoteMetadataRef))
    const writes = startFastImport(repo)
    for (const [id, tree] of copies)
      writes.commit({
        ...writers(id),
        ref: metadataRef,
        parent: parent?.oid,
        changes: [{ path: checkpointDir(id), mode: '040000', oid: tree }],
      })
    await writes.finish()
  })
}

const removers: Record<Storage, (recorder: Recorder, stored: StoredTrees, ids: string[]) => Promise<void>> = {
  'git-refs': removeFromBranch,
  'git-branch': ({ repo }, { own }, ids) =>
    moveRefs(
      repo,
      ids.map((id) => ({ ref: ownRef(id), to: undefined, from: own.get(id)?.commit })),
    ),
}

// The history of the branch keeps them: nobody's push is refused.
async function removeFromBranch(
  { repo, clock }: Recorder,
  { tip }: StoredTrees,
  ids: string[],
): Promise<void> {
  const { author } = await readConfig(repo)
  const writes = startFastImport(repo)
  writes.commit({
    ref: metadataRef,
    parent: tip,
    message: `Move ${countOf(ids.length, 'checkpoint')} to refs of their own\n`,
    author,
    seconds: Math.floor(clock().getTime() / 1000),
    changes: ids.map((id) => ({ path: checkpointDir(id), deleted: true })),
  })
  await writes.finish()
}

interface Writer {
  author: Identity
  seconds: number
  message: string
}

/**
 * Who wrote a checkpoint, when, and with which message. A copy keeps that, so that two clones which migrate the same
 * checkpoint make the same commit.
 */
async function readWriters(
  repo: Repo,
  revisions: string[],
  { clock }: Recorder,
): Promise<(id: string) => Writer> {
  const found = new Map<string, Writer>()
  for (const revision of revisions)
    for (const { subject, author, committedAt, message } of await readLog(repo, [revision])) {
      const id = /^Checkpoint: (\w+)$/.exec(subject)?.[1]
      const at = author.lastIndexOf(' <')
      // Others may have written anything there; git takes no brackets.
      const [name = '', email = ''] = [author.slice(0, at), author.slice(at)].map((part) =>
        part.replace(/[<>]/g, '').trim(),
      )
      const seconds = Math.floor(Date.parse(committedAt) / 1000)
      if (id !== undefined && !found.has(id) && seconds >= 0)
        found.set(id, { author: { name, email }, seconds, message })
    }
  const unknown = {
    author: { name: 'Entire CLI', email: 'cli@entire.io' },
    seconds: Math.floor(clock().getTime() / 1000),
  }
  return (id) => found.get(id) ?? { ...unknown, message: `Checkpoint: ${id}\n` }
}
