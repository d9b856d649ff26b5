// What a list says about checkpoints, many at a time. Every directory on the way to them is read once and most of what is in them not at
// all, so a list takes as long as it is, however many checkpoints there are.

import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import { isPartialClone } from '../git/promisor.ts'
import type { Repo } from '../git/repo.ts'
import { readTree, type TreeEntry } from '../git/tree.ts'
import { given } from '../std/given.ts'
import { parseJson } from '../std/json.ts'
import { prefetch } from '../std/prefetch.ts'
import { remoteMetadataRef } from './copies.ts'
import { checkpointDir, metadataRef } from './layout.ts'
import { parsePrompts, readCheckpoint, readStoredPrompts } from './read.ts'
import { parseSessionRecord } from './record.ts'

export interface CheckpointHead {
  /** In the order they were added. */
  sessions: string[]
  /** Of the last session, which stands for the checkpoint. */
  agent?: string
  isTask: boolean
  prompt?: string
}

/** The top directories of the metadata branch and of origin's copy of it: to be asked for before it is known which checkpoints are wanted. */
export type BranchRoots = Promise<TreeEntry[][]>

export function prefetchRoots(objects: ObjectReader): BranchRoots {
  return prefetch(
    Promise.all([metadataRef, remoteMetadataRef].map((ref) => readTree(objects, `${ref}^{tree}`))),
  )
}

/** Of those that are stored here and can be read. */
export async function readCheckpointHeads(
  repo: Repo,
  objects: ObjectReader,
  roots: BranchRoots,
  ids: Iterable<string>,
): Promise<Map<string, CheckpointHead>> {
  const wanted = [...new Set(ids)]
  // Single files would be fetched one by one.
  const trees = isPartialClone(repo) ? new Map<string, Oid>() : await locate(objects, await roots, wanted)
  const heads = await Promise.all(
    wanted.map(async (id) => {
      const tree = trees.get(id)
      return (
        (tree === undefined ? undefined : await readSimple(objects, tree)) ?? (await readWhole(objects, id))
      )
    }),
  )
  return new Map(
    wanted.flatMap((id, index): [string, CheckpointHead][] =>
      heads[index] === undefined ? [] : [[id, heads[index]]],
    ),
  )
}

/** Nearly every checkpoint has one session, in the first directory. Undefined when this one is different. */
async function readSimple(objects: ObjectReader, tree: Oid): Promise<CheckpointHead | undefined> {
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

function headOf(
  sessions: { session: string; agent?: string; isTask?: boolean }[],
  [prompt]: string[],
): CheckpointHead {
  const last = sessions.at(-1)
  return {
    sessions: sessions.map(({ session }) => session),
    isTask: last?.isTask === true,
    ...(last?.agent === undefined ? {} : { agent: last.agent }),
    ...given({ prompt }),
  }
}

// The local branch comes first: what it has is not looked for in origin's copy.
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
