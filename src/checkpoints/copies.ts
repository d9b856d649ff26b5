// Finds the stored copies of a checkpoint: on the metadata branch, on origin's copy of it, in a ref of its
// own, and where earlier versions of the program stored them.
import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import { listRefs } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { parseTree, readTree, type TreeEntry } from '../git/tree.ts'
import { isCheckpointId } from '../model/checkpoint.ts'
import { checkpointDir, metadataBranch, metadataRef } from './layout.ts'

export const remoteMetadataRef = 'refs/remotes/origin/entire/checkpoints/v1'
/** Fetches checkpoints that were pushed from other clones; works in single-branch clones, too. */
export const fetchCommand = `git fetch origin +${metadataBranch}:${remoteMetadataRef}`
const splitRef = 'refs/entire/checkpoints/v2/main'
/** Where the refs of single checkpoints are. */
export const ownRefs = 'refs/entire/checkpoints'
const branches = [metadataRef, remoteMetadataRef]
// Earlier names of the branch, and an abandoned layout that keeps metadata and transcripts in separate trees.
const formerBranches = [
  ...['entire/sessions/v1', 'entire/sessions'].flatMap((name) => [
    `refs/heads/${name}`,
    `refs/remotes/origin/${name}`,
  ]),
  splitRef,
]

/** A directory that holds a checkpoint. */
export interface CheckpointCopy {
  tree: Oid
  entries: TreeEntry[]
  /** Set when its transcripts are in other trees: their path there. */
  splitPath?: string
}

/** The ref of one checkpoint alone. Any checkpoint may be stored under one. */
export function ownRef(id: string): string {
  return `${ownRefs}/${id.slice(-2)}/${id}`
}

/** All copies of a checkpoint, the authoritative one first, those of earlier versions last. */
export async function* findCopies(objects: ObjectReader, id: string): AsyncGenerator<CheckpointCopy> {
  for (const names of copyNames(id)) yield* await openAll(objects, names)
}

/** Object names of the directories it may be in: the current ones, then those of earlier versions. */
export function copyNames(id: string): string[][] {
  if (!isCheckpointId(id)) return []
  const dir = checkpointDir(id)
  const inBranch = (ref: string) => (dir === '' ? [] : [`${ref}:${dir}`])
  return [[...branches.flatMap(inBranch), `${ownRef(id)}^{tree}`], formerBranches.flatMap(inBranch)]
}

/** The object name of the authoritative copy of each checkpoint whose id starts with a prefix. */
export async function listCopies(
  repo: Repo,
  objects: ObjectReader,
  prefix = '',
): Promise<Map<string, string>> {
  const [own, ...lists] = await Promise.all([
    listOwnRefs(repo),
    ...[...branches, ...formerBranches].map((ref) => listBranch(objects, ref, prefix)),
  ])
  // The last entry of an id wins, so the local branch comes last.
  const all = [...own, ...lists.reverse().flat()]
  return new Map(all.filter(([id]) => id.toLowerCase().startsWith(prefix)))
}

/** The trees of all checkpoints in the two storages of current versions, by id. */
export interface StoredTrees {
  /** Without ULIDs, which nobody reads there. */
  branch: Map<string, Oid>
  /** The commit that `branch` was read from. */
  tip: Oid | undefined
  origin: Map<string, Oid>
  own: Map<string, { commit: Oid; tree: Oid }>
}

export async function findStored(repo: Repo, objects: ObjectReader): Promise<StoredTrees> {
  const tip = (await objects.info(metadataRef))?.oid
  const [branch, origin, own] = await Promise.all([
    tip === undefined ? [] : listBranch(objects, tip, ''),
    listBranch(objects, remoteMetadataRef, ''),
    listOwnRefs(repo),
  ])
  const isRead = ([id]: [string, string]) => checkpointDir(id) !== ''
  const trees = await Promise.all(own.map(([, name]) => objects.info(name)))
  return {
    branch: new Map(branch.filter(isRead)),
    tip,
    origin: new Map(origin.filter(isRead)),
    own: new Map(
      own.flatMap(([id, name], index) => {
        const tree = trees[index]?.oid
        return tree === undefined ? [] : [[id, { commit: name.replace('^{tree}', ''), tree }]]
      }),
    ),
  }
}

export async function openCopy(objects: ObjectReader, name: string): Promise<CheckpointCopy | undefined> {
  const object = await objects.contents(name)
  if (object?.type !== 'tree') return undefined
  const copy = { tree: object.oid, entries: parseTree(object.content, object.oid.length / 2) }
  return name.startsWith(`${splitRef}:`) ? { ...copy, splitPath: name.slice(splitRef.length + 1) } : copy
}

async function openAll(objects: ObjectReader, names: string[]): Promise<CheckpointCopy[]> {
  const copies = await Promise.all(names.map((name) => openCopy(objects, name)))
  return copies.filter((copy) => copy !== undefined)
}

async function listOwnRefs(repo: Repo): Promise<[string, string][]> {
  const tips = await listRefs(repo, ownRefs)
  return tips.flatMap(({ ref, oid }): [string, string][] => {
    const id = ref.slice(ref.lastIndexOf('/') + 1)
    return isCheckpointId(id) && ref === ownRef(id) ? [[id, `${oid}^{tree}`]] : []
  })
}

// Reads only the shards that may contain the prefix.
async function listBranch(objects: ObjectReader, ref: string, prefix: string): Promise<[string, string][]> {
  const isShard = ({ isTree, name }: TreeEntry) =>
    isTree && /^[0-9a-f]{2}$/.test(name) && name.startsWith(prefix.slice(0, 2))
  const shards = (await readTree(objects, `${ref}^{tree}`)).filter(isShard)
  const lists = await Promise.all(shards.map((shard) => readTree(objects, shard.oid)))
  return shards.flatMap((shard, index) =>
    (lists[index] as TreeEntry[]).flatMap((entry): [string, string][] => {
      const id = `${shard.name}${entry.name}`
      if (!entry.isTree || !isCheckpointId(id)) return []
      return [[id, ref === splitRef ? `${ref}:${checkpointDir(id)}` : entry.oid]]
    }),
  )
}
