// From what a person typed to what is meant: a checkpoint by its id or the beginning of it, a step by that of its commit, or a commit.

import { fetchCommand, findCopies } from '../../checkpoints/copies.ts'
import { isShadowRef } from '../../checkpoints/layout.ts'
import { linkCheckpoints } from '../../checkpoints/links.ts'
import { findCheckpointIds, readCheckpoint, type StoredCheckpoint } from '../../checkpoints/read.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import { type LogEntry, readLog } from '../../git/log.ts'
import { listRefs } from '../../git/refs.ts'
import type { Repo } from '../../git/repo.ts'
import { isCheckpointId } from '../../model/checkpoint.ts'
import { EntireError } from '../../std/errors.ts'
import { clean } from '../render/text.ts'

export type ExplainTarget =
  | { kind: 'checkpoint'; checkpoint: StoredCheckpoint }
  | { kind: 'step'; step: LogEntry }
  | { kind: 'commit'; commit: LogEntry; ids: string[] }

const fetchHint = `Run \`entire explain\` to see the checkpoints of this branch. Those of others must be fetched first: \`${fetchCommand}\`.`

/** A checkpoint, else a step. */
export async function findByPrefix(repo: Repo, objects: ObjectReader, typed: string): Promise<ExplainTarget> {
  const found = await findStored(repo, objects, given(typed, 'checkpoint id'))
  if (found !== undefined) return found
  throw new EntireError('not-found', `checkpoint not found: ${clean(typed)}`, { hint: fetchHint })
}

export async function findCommit(repo: Repo, objects: ObjectReader, typed: string): Promise<ExplainTarget> {
  const found = await readCommitTarget(repo, objects, given(typed, 'commit'))
  if (found !== undefined) return found
  throw new EntireError('not-found', `commit not found: ${clean(typed)}`, {
    hint: 'Name one commit, not a range: by a branch, a tag, or enough of its id.',
  })
}

/** A checkpoint, a step or a commit. */
export async function findAnything(repo: Repo, objects: ObjectReader, typed: string): Promise<ExplainTarget> {
  const name = given(typed, 'checkpoint id or commit')
  const found = (await findStored(repo, objects, name)) ?? (await readCommitTarget(repo, objects, name))
  if (found !== undefined) return found
  throw new EntireError('not-found', `checkpoint or commit not found: ${clean(typed)}`, { hint: fetchHint })
}

function given(typed: string, what: string): string {
  if (typed.trim() !== '') return typed.trim()
  throw new EntireError('bad-usage', `The ${what} is empty.`, {
    hint: 'Run `entire explain` to see what there is.',
  })
}

async function findStored(
  repo: Repo,
  objects: ObjectReader,
  name: string,
): Promise<ExplainTarget | undefined> {
  // A whole id says where it is; only the beginning of one has to be looked for.
  const whole = [name.toLowerCase(), name.toUpperCase()].find(isCheckpointId)
  const ids =
    whole !== undefined && (await isStored(objects, whole)) ? [whole] : await findIds(repo, objects, name)
  if (ids.length > 1) throw ambiguous('checkpoint', name, ids)
  if (ids[0] === undefined) return await findStep(repo, name)
  const checkpoint = await readCheckpoint(objects, ids[0])
  if (checkpoint !== undefined) return { kind: 'checkpoint', checkpoint }
  throw new EntireError(
    'corrupt-state',
    `checkpoint ${ids[0]} cannot be read: its metadata.json is missing or damaged.`,
    {
      hint: `\`git fsck\` shows what else is. A copy on the remote may still be whole: \`${fetchCommand}\`.`,
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
    throw ambiguous(
      'step',
      prefix,
      found.map(({ oid }) => oid.slice(0, 12)),
    )
  return found[0] && { kind: 'step', step: found[0] }
}

function ambiguous(what: string, prefix: string, matches: string[]): EntireError {
  const some = `${matches.slice(0, 5).join(', ')}${matches.length > 5 ? ', …' : ''}`
  return new EntireError(
    'bad-id',
    `ambiguous ${what} prefix "${clean(prefix)}" matches ${matches.length} ${what}s: ${some}`,
    {
      hint: 'Type more of the id.',
    },
  )
}

// Asked as an object, because `git log` would take a range or an option for what it is.
async function readCommitTarget(
  repo: Repo,
  objects: ObjectReader,
  name: string,
): Promise<ExplainTarget | undefined> {
  const object = await objects.info(`${name}^{commit}`)
  const commit = object && (await readLog(repo, ['-1', object.oid]))[0]
  return (
    commit && {
      kind: 'commit',
      commit,
      ids: (await linkCheckpoints(objects, [commit]))[0]?.checkpoints ?? [],
    }
  )
}
