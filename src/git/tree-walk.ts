// In which files two trees differ, read with the objects of an event: no process of its own.
import type { ObjectReader } from './cat-file.ts'
import type { Oid } from './oid.ts'
import { readTree, type TreeEntry } from './tree.ts'

/** Only subtrees that differ are read; `skip` leaves out a directory. */
export async function differingPaths(
  objects: ObjectReader,
  from: Oid,
  to: Oid,
  skip: (dir: string) => boolean,
  below = '',
): Promise<string[]> {
  if (from === to) return []
  const [ours, theirs] = await Promise.all([entriesOf(objects, from), entriesOf(objects, to)])
  const names = new Set([...ours.keys(), ...theirs.keys()])
  const found = [...names].map(async (name) => {
    const [a, b] = [ours.get(name), theirs.get(name)]
    const path = `${below}${name}`
    if ((a?.oid === b?.oid && a?.mode === b?.mode) || skip(path)) return []
    const files = [a, b].some((entry) => entry !== undefined && !entry.isTree) ? [path] : []
    const inside = a?.isTree || b?.isTree ? await differingPaths(objects, treeOid(a), treeOid(b), skip, `${path}/`) : []
    return [...files, ...inside]
  })
  return (await Promise.all(found)).flat()
}

async function entriesOf(objects: ObjectReader, tree: Oid): Promise<Map<string, TreeEntry>> {
  return new Map((tree === '' ? [] : await readTree(objects, tree)).map((entry) => [entry.name, entry]))
}

function treeOid(entry: TreeEntry | undefined): Oid {
  return entry?.isTree ? entry.oid : ''
}
