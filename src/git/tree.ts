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

export interface FileEntry {
  mode: string
  oid: Oid
}

export const linkMode = '120000'
export const submoduleMode = '160000'

/** The files, links and submodules that a tree or commit has at these paths. */
export async function readTreeEntries(
  objects: ObjectReader,
  root: string,
  paths: Iterable<string>,
): Promise<Map<string, FileEntry>> {
  const wanted = new Set(paths)
  const dirs = [...new Set([...wanted].map(parentOf))]
  const lists = await Promise.all(
    dirs.map((dir) => readTree(objects, dir === '' ? `${root}^{tree}` : `${root}:${dir}`)),
  )
  const entries = new Map<string, FileEntry>()
  for (const [index, dir] of dirs.entries())
    for (const { name, mode, oid, isTree } of lists[index] ?? []) {
      const path = dir === '' ? name : `${dir}/${name}`
      if (wanted.has(path) && !isTree) entries.set(path, { mode, oid })
    }
  return entries
}

/** The directory of a path, without a slash; empty at the root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
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
