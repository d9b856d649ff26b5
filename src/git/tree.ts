// Reads tree objects.

import { decodePath } from '../std/encoding.ts'
import type { ObjectReader } from './cat-file.ts'
import type { Oid } from './oid.ts'

export interface TreeEntry {
  name: string
  oid: Oid
  mode: string
  isTree: boolean
}

/** Entries of the tree with this object name; none when there is no such tree. */
export async function readTree(objects: ObjectReader, name: string): Promise<TreeEntry[]> {
  const tree = await objects.contents(name)
  return tree?.type === 'tree' ? parseTree(tree.content, tree.oid.length / 2) : []
}

/** `git cat-file` gives a tree as entries `mode SP name NUL id`, with the id in raw bytes. */
export function parseTree(content: Buffer, oidBytes: number): TreeEntry[] {
  const entries: TreeEntry[] = []
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at)
    const end = content.indexOf(0, space)
    if (space === -1 || end === -1) break
    const mode = content.subarray(at, space).toString('latin1')
    entries.push({
      name: decodePath(content.subarray(space + 1, end)),
      oid: content.subarray(end + 1, end + 1 + oidBytes).toString('hex'),
      mode,
      isTree: mode === '40000',
    })
    at = end + 1 + oidBytes
  }
  return entries
}
