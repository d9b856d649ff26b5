// Reads what lists show of checkpoints, many at a time. Each directory is read once and most files not at
// all, so the cost depends on the length of the list, not on the number of stored checkpoints.

import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import { isPartialClone } from '../git/promisor.ts'
import type { Repo } from '../git/repo.ts'
import { readTree, type TreeEntry } from '../git/tree.ts'
import type { SessionRecord } from '../model/checkpoint.ts'
import type { EntireError } from '../std/errors.ts'
import { given } from '../std/given.ts'
import { parseJson } from '../std/json.ts'
import { prefetch } from '../std/prefetch.ts'
import { remoteMetadataRef } from './copies.ts'
import { checkpointDir, metadataRef } from './layout.ts'
import { ownPrompt, parsePrompts } from './prompt-files.ts'
import { isUnfetched, readCheckpoint, readStoredPrompts } from './read.ts'
import { parseSessionRecord } from './record.ts'

export interface CheckpointHead {
  /** Session ids, in the order they were added. */
  sessions: string[]
  /** The agent of the last session, which represents the checkpoint. */
  agent?: string
  isTask: boolean
  prompt?: string
}

/**
 * The root directories of the metadata branch and of origin's copy, read before the wanted checkpoints are
 * known.
 */
export type BranchRoots = Promise<TreeEntry[][]>

export function prefetchRoots(objects: ObjectReader): BranchRoots {
  return prefetch(
    Promise.all([metadataRef, remoteMetadataRef].map((ref) => readTree(objects, `${ref}^{tree}`))),
  )
}

export interface CheckpointHeads {
  /** Of the checkpoints that are stored here and can be read. */
  heads: Map<string, CheckpointHead>
  /** Those that this partial clone cannot get. */
  unfetched: Map<string, EntireError>
}

export async function readCheckpointHeads(
  repo: Repo,
  objects: ObjectReader,
  roots: BranchRoots,
  ids: Iterable<string>,
): Promise<CheckpointHeads> {
  const wanted = [...new Set(ids)]
  // In a partial clone single files would be fetched one by one.
  const trees = isPartialClone(repo) ? new Map<string, Oid>() : await locate(objects, await roots, wanted)
  const found: CheckpointHeads = { heads: new Map(), unfetched: new Map() }
  const read = async (id: string) => {
    const tree = trees.get(id)
    const single = tree === undefined ? undefined : await readSingleSession(objects, tree)
    const head = single ?? (await readWhole(objects, id))
    if (head !== undefined) found.heads.set(id, head)
  }
  const note = (id: string) => (error: unknown) => {
    if (!isUnfetched(error)) throw error
    found.unfetched.set(id, error)
  }
  await Promise.all(wanted.map((id) => read(id).catch(note(id))))
  return found
}

/** Nearly every checkpoint has one session, in the first directory. Undefined when this one has not. */
async function readSingleSession(objects: ObjectReader, tree: Oid): Promise<CheckpointHead | undefined> {
  const [metadata, prompts, second] = await Promise.all([
    objects.contents(`${tree}:0/metadata.json`),
    objects.contents(`${tree}:0/prompt.txt`),
    objects.info(`${tree}:1`),
  ])
  const session =
    second === undefined && metadata !== undefined
      ? parseSessionRecord(parseJson(metadata.content.toString('utf8')))
      : undefined
  if (session?.agent === undefined) return undefined
  return headOf([session], parsePrompts(prompts?.content.toString('utf8') ?? ''))
}

async function readWhole(objects: ObjectReader, id: string): Promise<CheckpointHead | undefined> {
  const sessions = (await readCheckpoint(objects, id))?.sessions
  const last = sessions?.at(-1)
  return sessions && headOf(sessions, last === undefined ? [] : await readStoredPrompts(objects, last))
}

function headOf(sessions: SessionRecord[], prompts: string[]): CheckpointHead {
  const last = sessions.at(-1)
  const prompt = last && ownPrompt(last, prompts)
  return {
    sessions: sessions.map(({ session }) => session),
    isTask: last?.isTask === true,
    ...given({ agent: last?.agent, prompt }),
  }
}

// The local branch comes first; origin's copy is searched only for the rest.
async function locate(objects: ObjectReader, roots: TreeEntry[][], ids: string[]): Promise<Map<string, Oid>> {
  const found = new Map<string, Oid>()
  for (const root of roots) {
    const open = ids.filter((id) => checkpointDir(id) !== '' && !found.has(id))
    const names = new Set(open.map((id) => id.slice(0, 2)))
    const shards = root.filter((entry) => entry.isTree && names.has(entry.name))
    const lists = await Promise.all(shards.map((shard) => readTree(objects, shard.oid)))
    const trees = new Map(
      shards.flatMap(({ name }, index) =>
        (lists[index] ?? []).map((entry) => [`${name}${entry.name}`, entry.oid]),
      ),
    )
    for (const id of open) if (trees.has(id)) found.set(id, trees.get(id) as Oid)
  }
  return found
}
