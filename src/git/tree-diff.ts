// Finds the files in which two trees differ.

import { decodePath } from '../std/encoding.ts'
import type { ObjectReader, StoredObject } from './cat-file.ts'
import { git } from './exec.ts'
import type { Oid } from './oid.ts'
import type { Repo } from './repo.ts'
import { parseTree, type TreeEntry } from './tree.ts'

export interface ChangedFile {
  path: string
  /** Undefined when the file was added. */
  before: Oid | undefined
  /** Undefined when the file was deleted. */
  after: Oid | undefined
}

/** True for a file or directory to leave out. */
export type Skip = (path: string) => boolean

/** Trees by any name, or '' for the empty tree. Reads only subtrees that differ, and starts no process. */
export async function changedFiles(
  objects: ObjectReader,
  from: string,
  to: string,
  skip: Skip = () => false,
): Promise<ChangedFile[]> {
  return await changedBelow({ objects, skip }, '', from, to)
}

export async function differingPaths(
  objects: ObjectReader,
  from: string,
  to: string,
  skip: Skip,
): Promise<string[]> {
  return (await changedFiles(objects, from, to, skip)).map(({ path }) => path)
}

async function changedBelow(
  walk: { objects: ObjectReader; skip: Skip },
  dir: string,
  from: string,
  to: string,
): Promise<ChangedFile[]> {
  if (from === to) return []
  const [a, b] = await Promise.all(
    [from, to].map((name) => (name === '' ? undefined : walk.objects.contents(name))),
  )
  const found = [...differingEntries(a, b)].map(async ([name, [old, fresh]]) => {
    const path = `${dir}${name}`
    if (walk.skip(path)) return []
    const [before, after] = [fileOid(old), fileOid(fresh)]
    const files = before === undefined && after === undefined ? [] : [{ path, before, after }]
    const hasTree = old?.isTree || fresh?.isTree
    const inside = hasTree ? await changedBelow(walk, `${path}/`, treeOid(old), treeOid(fresh)) : []
    return [...files, ...inside]
  })
  return (await Promise.all(found)).flat()
}

type Pair = [TreeEntry | undefined, TreeEntry | undefined]

function differingEntries(a: StoredObject | undefined, b: StoredObject | undefined): Map<string, Pair> {
  const oidBytes = ((a ?? b)?.oid.length ?? 0) / 2
  const [from, to] = [contentOf(a), contentOf(b)]
  const same = sameEntries(from, to, oidBytes)
  const pairs = new Map<string, Pair>()
  for (const entry of parseTree(from.subarray(same), oidBytes)) pairs.set(entry.name, [entry, undefined])
  for (const entry of parseTree(to.subarray(same), oidBytes)) {
    const before = pairs.get(entry.name)?.[0]
    if (before?.oid === entry.oid && before.mode === entry.mode) pairs.delete(entry.name)
    else pairs.set(entry.name, [before, entry])
  }
  return pairs
}

function contentOf(tree: StoredObject | undefined): Buffer {
  return tree?.type === 'tree' ? tree.content : Buffer.alloc(0)
}

/**
 * The length of the leading entries that both trees share. Entries are sorted, so these need not be parsed.
 */
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

export interface TreeDifference {
  path: string
  /** The entry in the second tree; undefined when it is not there. */
  entry: { mode: string; oid: Oid } | undefined
}

/** The paths at which two trees differ, with modes: one `git diff-tree`. */
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
