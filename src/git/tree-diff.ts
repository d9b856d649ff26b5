// How two trees differ, path by path, with modes: one `git diff-tree`.
import { decodePath } from '../std/path-bytes.ts'
import { git } from './exec.ts'
import type { Oid } from './oid.ts'
import type { Repo } from './repo.ts'

export interface TreeDifference {
  path: string
  /** The entry in the second tree; undefined when it is not there. */
  entry: { mode: string; oid: Oid } | undefined
}

export async function diffTrees(repo: Repo, from: string, to: string): Promise<TreeDifference[]> {
  const { stdout } = await git(repo, ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to])
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
