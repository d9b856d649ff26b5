// Tree objects as `git cat-file` hands them out: mode SP name NUL id, the id in raw bytes.

import { decodePath } from '../std/encoding.ts'
import type { ObjectReader } from './cat-file.ts'
import { git } from './exec.ts'
import type { Oid } from './oid.ts'
import type { Repo } from './repo.ts'

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

// How two trees differ, path by path, with modes: one `git diff-tree`.

export interface TreeDifference {
  path: string
  /** The entry in the second tree; undefined when it is not there. */
  entry: { mode: string; oid: Oid } | undefined
}

export async function diffTrees(repo: Repo, from: string, to: string): Promise<TreeDifference[]> {
  const { stdout } = await git(repo, [
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-renames',
    '--no-abbrev',
    from,
    to,
  ])
  const fields: Buffer[] = []
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf(0, at)
    fields.push(stdout.subarray(at, end))
    at = end + 1
  }
  const differences: TreeDifference[] = []
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [, mode = '', , oid = ''] = (fields[index] as Buffer).toString('latin1').split(' ')
    const path = decodePath(fields[index + 1] as Buffer)
    differences.push({ path, entry: mode === '000000' ? undefined : { mode, oid } })
  }
  return differences
}
