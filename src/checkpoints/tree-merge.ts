// Two histories of a metadata tree into one. Whole directories are compared by id, so the cost is that of what differs.
import type { ObjectReader } from '../git/cat-file.ts'
import type { TreeChange } from '../git/fast-import.ts'
import type { Oid } from '../git/oid.ts'
import { readTree, type TreeEntry } from '../git/tree.ts'

export interface MergeTips {
  /** Undefined when the two have no common history. */
  base: Oid | undefined
  ours: Oid
  theirs: Oid
}

/** What must change in our tree so that it holds both sides. A file changed on both sides is taken from theirs: it was published first. */
export async function planMerge(objects: ObjectReader, tips: MergeTips): Promise<TreeChange[]> {
  return mergeDirs(objects, '', `${tips.ours}^{tree}`, `${tips.theirs}^{tree}`, tips.base && `${tips.base}^{tree}`)
}

async function mergeDirs(objects: ObjectReader, dir: string, ours: Oid, theirs: Oid, base: Oid | undefined): Promise<TreeChange[]> {
  const [our, their, old] = await Promise.all([
    entries(objects, ours),
    entries(objects, theirs),
    base === undefined ? new Map<string, TreeEntry>() : entries(objects, base),
  ])
  const changes: TreeChange[] = []
  for (const [name, entry] of their) {
    const mine = our.get(name)
    const before = old.get(name)
    if (entry.oid === mine?.oid || entry.oid === before?.oid) continue
    const path = `${dir}${name}`
    if (mine?.isTree && entry.isTree) changes.push(...(await mergeDirs(objects, `${path}/`, mine.oid, entry.oid, before?.oid)))
    else changes.push({ path, mode: entry.isTree ? '040000' : '100644', oid: entry.oid })
  }
  return changes
}

async function entries(objects: ObjectReader, tree: string): Promise<Map<string, TreeEntry>> {
  return new Map((await readTree(objects, tree)).map((entry) => [entry.name, entry]))
}
