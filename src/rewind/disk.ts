// What is really at a path of the work tree, found without following links out of it: a rewind must know what it would replace.

import {
  accessSync,
  constants,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  type Stats,
} from 'node:fs'
import { maxSnapshotBytes } from '../checkpoints/snapshot.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import { git } from '../git/exec.ts'
import { blobOid, type Oid } from '../git/oid.ts'
import type { Repo } from '../git/repo.ts'
import { readTree } from '../git/tree.ts'
import { decodePath, encodePath, nativePathIn } from '../std/encoding.ts'
import { isErrno } from '../std/errors.ts'

export type PathState =
  | { kind: 'absent' | 'link' | 'directory' }
  /** `mode`: permission bits. */
  | { kind: 'file'; mode: number; size: number }
  /** A device, a pipe or a socket. */
  | { kind: 'other' }
  /** A part of the path is no directory. */
  | { kind: 'behind'; parent: string }
  /** Inside another repository. */
  | { kind: 'foreign'; parent: string }

export interface Disk {
  root: string
  at(path: string): PathState
  /** Bytes of a file, or what a link says; undefined when there is neither, or no copy can be kept. */
  read(path: string): Buffer | undefined
}

export function lookAtDisk(root: string): Disk {
  const parents = new Map<string, PathState | undefined>()
  const parentTrouble = (dir: string): PathState | undefined => {
    if (dir === '') return undefined
    const known = parents.get(dir)
    if (known !== undefined || parents.has(dir)) return known
    const trouble = parentTrouble(parentOf(dir)) ?? troubleAt(root, dir)
    parents.set(dir, trouble)
    return trouble
  }
  const at = (path: string): PathState => parentTrouble(parentOf(path)) ?? describe(lstat(root, path))
  return { root, at, read: (path) => (isCopyable(root, path, at(path)) ? readRaw(root, path) : undefined) }
}

/** True when a copy of what is there can be kept. */
export function isCopyable(root: string, path: string, place: PathState): boolean {
  if (place.kind === 'link') return true
  return place.kind === 'file' && place.size <= maxSnapshotBytes && isReadable(root, path)
}

/** Everything below a directory that is not a directory itself; another repository is named with a slash at its end. */
export function* filesBelow(root: string, dir: string): Generator<string> {
  for (const entry of readdirSync(nativePathIn(root, dir), { encoding: 'buffer' })) {
    const path = `${dir}/${decodePath(entry)}`
    if (!lstat(root, path)?.isDirectory()) yield path
    else if (lstat(root, `${path}/.git`) !== undefined) yield `${path}/`
    else yield* filesBelow(root, path)
  }
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function troubleAt(root: string, dir: string): PathState | undefined {
  const stat = lstat(root, dir)
  if (stat === undefined) return { kind: 'absent' }
  if (!stat.isDirectory()) return { kind: 'behind', parent: dir }
  return lstat(root, `${dir}/.git`) === undefined ? undefined : { kind: 'foreign', parent: dir }
}

function describe(stat: Stats | undefined): PathState {
  if (stat === undefined) return { kind: 'absent' }
  if (stat.isFile()) return { kind: 'file', mode: stat.mode & 0o7777, size: stat.size }
  if (stat.isSymbolicLink()) return { kind: 'link' }
  return { kind: stat.isDirectory() ? 'directory' : 'other' }
}

function readRaw(root: string, path: string): Buffer {
  const place = nativePathIn(root, path)
  return lstatSync(place).isSymbolicLink() ? readlinkSync(place, { encoding: 'buffer' }) : readFileSync(place)
}

function isReadable(root: string, path: string): boolean {
  try {
    accessSync(nativePathIn(root, path), constants.R_OK)
    return true
  } catch {
    return false
  }
}

function lstat(root: string, path: string): Stats | undefined {
  try {
    return lstatSync(nativePathIn(root, path))
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG')) return undefined
    throw error
  }
}

// Which files on disk are already as a commit has them: by kind, by the executable bit, and by content as git would store it.

export interface FileEntry {
  mode: string
  oid: Oid
}

export const linkMode = '120000'
const submoduleMode = '160000'

/** Entries of a commit's tree, by path. Submodules are other people's, and left out. */
export async function readTreeEntries(
  objects: ObjectReader,
  commit: Oid,
  paths: Iterable<string>,
): Promise<Map<string, FileEntry>> {
  const wanted = new Set(paths)
  const dirs = [...new Set([...wanted].map(parentOf))]
  const lists = await Promise.all(
    dirs.map((dir) => readTree(objects, dir === '' ? `${commit}^{tree}` : `${commit}:${dir}`)),
  )
  const entries = dirs.flatMap((dir, index) =>
    (lists[index] ?? []).map(({ name, mode, oid, isTree }) => ({
      path: dir === '' ? name : `${dir}/${name}`,
      mode,
      oid,
      isTree,
    })),
  )
  return new Map(
    entries
      .filter(({ path, mode, isTree }) => wanted.has(path) && !isTree && mode !== submoduleMode)
      .map(({ path, mode, oid }) => [path, { mode, oid }]),
  )
}

/** Paths that are on disk as the entries say. */
export async function findUnchanged(
  repo: Repo,
  disk: Disk,
  entries: ReadonlyMap<string, FileEntry>,
): Promise<Set<string>> {
  const hasModes = await readsModes(repo)
  const alike = [...entries].filter(([path, { mode }]) => isAlike(disk.at(path), mode, hasModes))
  const same = new Set<string>()
  const converted: string[] = []
  for (const [path, { oid, mode }] of alike) {
    const content = disk.read(path)
    if (content !== undefined && blobOid(content, oid) === oid) same.add(path)
    // Git asks for one name a line.
    else if (content !== undefined && mode !== linkMode && !path.includes('\n')) converted.push(path)
  }
  const stored = await hashAsStored(repo, converted)
  for (const [index, path] of converted.entries())
    if (stored[index] === entries.get(path)?.oid) same.add(path)
  return same
}

function isAlike(place: PathState, mode: string, hasModes: boolean): boolean {
  if (mode === linkMode) return place.kind === 'link'
  return place.kind === 'file' && (!hasModes || ((place.mode & 0o100) !== 0) === (mode === '100755'))
}

// Line endings and other filters: what is on disk may be the same to git without being the same bytes. https://git-scm.com/docs/git-hash-object
async function hashAsStored(repo: Repo, paths: string[]): Promise<Oid[]> {
  if (paths.length === 0) return []
  const stdin = Buffer.concat(paths.flatMap((path) => [encodePath(path), Buffer.from('\n')]))
  const { stdout } = await git(repo, ['hash-object', '--stdin-paths'], { stdin, accept: [1, 128] })
  return stdout.toString('latin1').split('\n')
}

// Where files have no executable bit, git is told not to look at it.
async function readsModes(repo: Repo): Promise<boolean> {
  const { stdout } = await git(repo, ['config', '--get', '--type=bool', 'core.fileMode'], {
    accept: [1, 128],
  })
  return stdout.toString('latin1').trim() !== 'false'
}
