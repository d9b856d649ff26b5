// Finds what the user named: a checkpoint or a step by its id or a prefix of it, or a commit.

import { findCopies } from '../../checkpoints/copies.ts'
import { isShadowRef } from '../../checkpoints/layout.ts'
import { linkCheckpoints } from '../../checkpoints/links.ts'
import { findCheckpointIds, readCheckpoint, type StoredCheckpoint } from '../../checkpoints/read.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import { git } from '../../git/exec.ts'
import { type LogEntry, readLog } from '../../git/log.ts'
import { listRefs } from '../../git/refs.ts'
import type { Repo } from '../../git/repo.ts'
import { isCheckpointId } from '../../model/checkpoint.ts'
import { ambiguousPrefix, EntireError, notFound } from '../../std/errors.ts'
import { absentHint, type Fetching } from '../fetching.ts'
import { clean } from '../render/text.ts'

export type ExplainTarget =
  | { kind: 'checkpoint'; checkpoint: StoredCheckpoint }
  | { kind: 'step'; step: LogEntry }
  /** `unasked`: remotes that may have a link by note, but could not be asked. */
  | { kind: 'commit'; commit: LogEntry; ids: string[]; unasked?: string[] }

const listHint =
  '`entire explain` shows the checkpoints of this branch. One that is elsewhere is fetched by its whole id.'

/** Where to look, and how to get what is not here. */
export interface TargetSearch {
  repo: Repo
  objects: ObjectReader
  fetching: Fetching
}

/** A checkpoint, or else a step. */
export async function findByPrefix(search: TargetSearch, typed: string): Promise<ExplainTarget> {
  const name = requireName(typed, 'checkpoint id')
  const found = (await findStored(search, name)) ?? (await findElsewhere(search, name))
  if (found.kind !== 'absent') return found
  throw notFound('checkpoint', clean(typed), found.hint)
}

export async function findCommit(search: TargetSearch, typed: string): Promise<ExplainTarget> {
  const found = await readCommitTarget(search, requireName(typed, 'commit'))
  if (found !== undefined) return found
  throw notFound(
    'commit',
    clean(typed),
    'Name one commit, not a range: by a branch, a tag, or enough of its id.',
  )
}

/** A checkpoint, a step or a commit. */
export async function findAnything(search: TargetSearch, typed: string): Promise<ExplainTarget> {
  const name = requireName(typed, 'checkpoint id or commit')
  const here = (await findStored(search, name)) ?? (await readCommitTarget(search, name))
  const found = here ?? (await findElsewhere(search, name))
  if (found.kind !== 'absent') return found
  throw notFound('checkpoint, step or commit', clean(typed), found.hint)
}

/** The checkpoints with these ids, those that this clone lacks fetched. */
export async function readOrFetch(
  { repo, objects, fetching }: TargetSearch,
  ids: string[],
): Promise<{ stored: StoredCheckpoint[]; missing: string[]; hint: string }> {
  const { missing, failures } = await fetching.checkpoints(ids)
  const stored = await Promise.all(ids.map((id) => readCheckpoint(objects, id)))
  return {
    stored: stored.filter((checkpoint) => checkpoint !== undefined),
    missing,
    hint: absentHint(repo, { failures, missing }),
  }
}

async function findElsewhere(
  search: TargetSearch,
  name: string,
): Promise<ExplainTarget | { kind: 'absent'; hint: string }> {
  const id = [name.toLowerCase(), name.toUpperCase()].find(isCheckpointId)
  if (id === undefined) return { kind: 'absent', hint: listHint }
  const { stored, hint } = await readOrFetch(search, [id])
  return stored[0] === undefined ? { kind: 'absent', hint } : { kind: 'checkpoint', checkpoint: stored[0] }
}

function requireName(typed: string, what: string): string {
  if (typed.trim() !== '') return typed.trim()
  throw new EntireError('bad-usage', `The ${what} is empty.`, {
    hint: '`entire explain` shows the checkpoints of this branch.',
  })
}

async function findStored({ repo, objects }: TargetSearch, name: string): Promise<ExplainTarget | undefined> {
  // A full id is read directly; a prefix has to be searched for.
  const whole = [name.toLowerCase(), name.toUpperCase()].find(isCheckpointId)
  const ids =
    whole !== undefined && (await isStored(objects, whole)) ? [whole] : await findIds(repo, objects, name)
  if (ids.length > 1) throw ambiguousPrefix('checkpoint', clean(name), ids)
  if (ids[0] === undefined) return await findStep(repo, name)
  const checkpoint = await readCheckpoint(objects, ids[0])
  if (checkpoint !== undefined) return { kind: 'checkpoint', checkpoint }
  throw new EntireError(
    'corrupt-state',
    `Checkpoint ${ids[0]} cannot be read: its metadata.json is missing or damaged.`,
    {
      hint: '`git fsck` shows what else is damaged. A clone of a colleague, or the remote, may have an intact copy.',
    },
  )
}

async function isStored(objects: ObjectReader, id: string): Promise<boolean> {
  for await (const _place of findCopies(objects, id)) return true
  return false
}

async function findIds(repo: Repo, objects: ObjectReader, prefix: string): Promise<string[]> {
  return /^[0-9a-z]{1,25}$/i.test(prefix) ? await findCheckpointIds(repo, objects, prefix) : []
}

async function findStep(repo: Repo, prefix: string): Promise<ExplainTarget | undefined> {
  if (!/^[0-9a-f]{4,64}$/i.test(prefix)) return undefined
  const shadows = (await listRefs(repo, 'refs/heads/entire/')).filter(({ ref }) => isShadowRef(ref))
  if (shadows.length === 0) return undefined
  const steps = await readLog(
    repo,
    shadows.map(({ oid }) => oid),
  )
  const found = steps.filter(({ oid }) => oid.startsWith(prefix.toLowerCase()))
  if (found.length > 1)
    throw ambiguousPrefix(
      'step',
      clean(prefix),
      found.map(({ oid }) => oid.slice(0, 12)),
    )
  return found[0] && { kind: 'step', step: found[0] }
}

// Resolved as an object, because `git log` would accept a range or an option.
async function readCommitTarget(
  { repo, objects, fetching }: TargetSearch,
  name: string,
): Promise<ExplainTarget | undefined> {
  const object = await objects.info(`${name}^{commit}`)
  const commit = object && (await readLog(repo, ['-1', object.oid]))[0]
  if (commit === undefined) return undefined
  const readLinks = async () => (await linkCheckpoints(objects, [commit]))[0]?.checkpoints ?? []
  const ids = await readLinks()
  if (ids.length > 0 || (await isUnpushed(repo, commit.oid))) return { kind: 'commit', commit, ids }
  const unasked = await fetching.links()
  return { kind: 'commit', commit, ids: await readLinks(), unasked }
}

// A commit that no remote has cannot have a link there, either.
async function isUnpushed(repo: Repo, oid: string): Promise<boolean> {
  const { stdout } = await git(repo, ['rev-list', '--max-count=1', oid, '--not', '--remotes'])
  return stdout.length > 0
}
