// Where checkpoints may be stored: the metadata branch, origin's copy of it, a ref of their own, and what earlier versions of the program used.
import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import { listRefs } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { parseTree, readTree, type TreeEntry } from '../git/tree.ts'
import { isCheckpointId } from '../model/checkpoint.ts'
import { checkpointDir, metadataBranch, metadataRef } from './layout.ts'

export const remoteMetadataRef = 'refs/remotes/origin/entire/checkpoints/v1'
/** Gets the checkpoints that others have pushed, in clones of a single branch, too. */
export const fetchCommand = `git fetch origin +${metadataBranch}:${remoteMetadataRef}`
const splitRef = 'refs/entire/checkpoints/v2/main'
const refsPrefix = 'refs/entire/checkpoints'
const branches = [metadataRef, remoteMetadataRef]
// The names of the branch before it was called v1, and a layout that was tried and given up, in which metadata and transcripts are apart.
const formerBranches = [
  ...['entire/sessions/v1', 'entire/sessions'].flatMap((name) => [
    `refs/heads/${name}`,
    `refs/remotes/origin/${name}`,
  ]),
  splitRef,
]

/** The directory of one checkpoint. */
export interface CheckpointCopy {
  tree: Oid
  entries: TreeEntry[]
  /** Its transcripts are in other trees, below this path. */
  splitPath?: string
}

/** A ref for one checkpoint alone; ids of the branch may be stored under one, too. */
export function ownRef(id: string): string {
  return `${refsPrefix}/${id.slice(-2)}/${id}`
}

/** All copies of a checkpoint, the one that counts first. Former places are looked at when the usual ones have nothing. */
export async function* findCopies(objects: ObjectReader, id: string): AsyncGenerator<CheckpointCopy> {
  for (const names of copyNames(id)) yield* await openAll(objects, names)
}

/** Object names of the directories it may be in: the usual ones, then the former ones. */
export function copyNames(id: string): string[][] {
  if (!isCheckpointId(id)) return []
  const dir = checkpointDir(id)
  const inBranch = (ref: string) => (dir === '' ? [] : [`${ref}:${dir}`])
  return [[...branches.flatMap(inBranch), `${ownRef(id)}^{tree}`], formerBranches.flatMap(inBranch)]
}

/** Object names of the directories of all checkpoints whose id starts with a prefix. Of several copies the one that counts. */
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

export async function openCopy(objects: ObjectReader, name: string): Promise<CheckpointCopy | undefined> {
  const object = await objects.contents(name)
  if (object?.type !== 'tree') return undefined
  const place = { tree: object.oid, entries: parseTree(object.content, object.oid.length / 2) }
  return name.startsWith(`${splitRef}:`) ? { ...place, splitPath: name.slice(splitRef.length + 1) } : place
}

async function openAll(objects: ObjectReader, names: string[]): Promise<CheckpointCopy[]> {
  const places = await Promise.all(names.map((name) => openCopy(objects, name)))
  return places.filter((place) => place !== undefined)
}

async function listOwnRefs(repo: Repo): Promise<[string, string][]> {
  const tips = await listRefs(repo, refsPrefix)
  return tips.flatMap(({ ref, oid }): [string, string][] => {
    const id = ref.slice(ref.lastIndexOf('/') + 1)
    return isCheckpointId(id) && ref === ownRef(id) ? [[id, `${oid}^{tree}`]] : []
  })
}

// Only the shards that may hold the prefix are read.
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
