// In which files two trees differ, read with the objects of an event: no process of its own.
import type { ObjectReader } from './cat-file.ts'
import type { ChangedFile } from './commit.ts'
import { parseTree, type TreeEntry } from './tree.ts'

export type Skip = (path: string) => boolean

/** Trees by any name, or '' for none. Only subtrees that differ are read; `skip` leaves out a directory. */
export async function differingPaths(objects: ObjectReader, from: string, to: string, skip: Skip): Promise<string[]> {
  return (await changedFiles(objects, from, to, skip)).map(({ path }) => path)
}

export async function changedFiles(
  objects: ObjectReader,
  from: string,
  to: string,
  skip: Skip = () => false,
  below = '',
): Promise<ChangedFile[]> {
  if (from === to) return []
  const [ours, theirs] = await Promise.all([from, to].map((name) => (name === '' ? undefined : objects.contents(name))))
  const differing = differingEntries(ours, theirs)
  const found = [...differing].map(async ([name, [a, b]]) => {
    const path = `${below}${name}`
    if (skip(path)) return []
    const [before, after] = [fileOid(a), fileOid(b)]
    const files = before === undefined && after === undefined ? [] : [{ path, before, after }]
    const inside = a?.isTree || b?.isTree ? await changedFiles(objects, treeOid(a), treeOid(b), skip, `${path}/`) : []
    return [...files, ...inside]
  })
  return (await Promise.all(found)).flat()
}

type Pair = [TreeEntry | undefined, TreeEntry | undefined]
type StoredTree = Awaited<ReturnType<ObjectReader['contents']>>

function differingEntries(a: StoredTree, b: StoredTree): Map<string, Pair> {
  const oidBytes = (a ?? b)?.oid.length ?? 0
  const [ours, theirs] = [contentOf(a), contentOf(b)]
  const same = sameEntries(ours, theirs, oidBytes / 2)
  const pairs = new Map<string, Pair>()
  for (const entry of parseTree(ours.subarray(same), oidBytes / 2)) pairs.set(entry.name, [entry, undefined])
  for (const entry of parseTree(theirs.subarray(same), oidBytes / 2)) {
    const before = pairs.get(entry.name)?.[0]
    if (before?.oid === entry.oid && before.mode === entry.mode) pairs.delete(entry.name)
    else pairs.set(entry.name, [before, entry])
  }
  return pairs
}

function contentOf(tree: StoredTree): Buffer {
  return tree?.type === 'tree' ? tree.content : Buffer.alloc(0)
}

// Entries are sorted: those before the first change are the same bytes in both, and need not be understood.
function sameEntries(a: Buffer, b: Buffer, oidBytes: number): number {
  for (let at = 0; at < a.length; ) {
    const end = a.indexOf(0, at) + 1 + oidBytes
    if (end > b.length || a.compare(b, at, end, at, end) !== 0) return at
    at = end
  }
  return a.length
}

function fileOid(entry: TreeEntry | undefined): string | undefined {
  return entry?.isTree ? undefined : entry?.oid
}

function treeOid(entry: TreeEntry | undefined): string {
  return entry?.isTree ? entry.oid : ''
}
