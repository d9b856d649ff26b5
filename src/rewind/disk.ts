// Looks at paths of the work tree without following links out of it, and compares them with a commit.

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
import {
  type FileEntry,
  linkMode,
  parentOf,
  readTreeEntries as readEntries,
  submoduleMode,
} from '../git/tree.ts'
import { decodePath, encodePath, nativePathIn } from '../std/encoding.ts'
import { isErrno } from '../std/errors.ts'

/** What is at a path. */
export type PathState =
  | { kind: 'absent' | 'link' | 'directory' }
  /** `mode`: permission bits. */
  | { kind: 'file'; mode: number; size: number }
  /** A device, a pipe or a socket. */
  | { kind: 'other' }
  /** `parent`, a part of the path, is not a directory. */
  | { kind: 'below-file'; parent: string }
  /** `parent`, a part of the path, is another repository. */
  | { kind: 'in-other-repo'; parent: string }

export interface Disk {
  root: string
  at(path: string): PathState
  /** Bytes of a file, or the target of a link; undefined when there is neither, or it cannot be copied. */
  read(path: string): Buffer | undefined
}

/** Remembers what it learns of parent directories: take a new one after changes. */
export function lookAtDisk(root: string): Disk {
  const parents = new Map<string, PathState | undefined>()
  const findBlockedParent = (dir: string): PathState | undefined => {
    if (dir === '') return undefined
    const known = parents.get(dir)
    if (known !== undefined || parents.has(dir)) return known
    const blocked = findBlockedParent(parentOf(dir)) ?? blockedAt(root, dir)
    parents.set(dir, blocked)
    return blocked
  }
  const at = (path: string): PathState => findBlockedParent(parentOf(path)) ?? stateOf(lstat(root, path))
  return { root, at, read: (path) => (isCopyable(root, path, at(path)) ? readRaw(root, path) : undefined) }
}

function blockedAt(root: string, dir: string): PathState | undefined {
  const stat = lstat(root, dir)
  if (stat === undefined) return { kind: 'absent' }
  if (!stat.isDirectory()) return { kind: 'below-file', parent: dir }
  return lstat(root, `${dir}/.git`) === undefined ? undefined : { kind: 'in-other-repo', parent: dir }
}

function stateOf(stat: Stats | undefined): PathState {
  if (stat === undefined) return { kind: 'absent' }
  if (stat.isFile()) return { kind: 'file', mode: stat.mode & 0o7777, size: stat.size }
  if (stat.isSymbolicLink()) return { kind: 'link' }
  return { kind: stat.isDirectory() ? 'directory' : 'other' }
}

/** Something that is neither absent nor a directory. */
export function isFileLike({ kind }: PathState): boolean {
  return kind === 'file' || kind === 'link' || kind === 'other'
}

/** True when a safety step can hold a copy of what is there. */
export function isCopyable(root: string, path: string, found: PathState): boolean {
  if (found.kind === 'link') return true
  return found.kind === 'file' && found.size <= maxSnapshotBytes && isReadable(root, path)
}

function isReadable(root: string, path: string): boolean {
  try {
    accessSync(nativePathIn(root, path), constants.R_OK)
    return true
  } catch {
    return false
  }
}

function readRaw(root: string, path: string): Buffer {
  const native = nativePathIn(root, path)
  return lstatSync(native).isSymbolicLink()
    ? readlinkSync(native, { encoding: 'buffer' })
    : readFileSync(native)
}

/** All files below a directory. Another repository is one path, with a slash at its end. */
export function* filesBelow(root: string, dir: string): Generator<string> {
  for (const entry of readdirSync(nativePathIn(root, dir), { encoding: 'buffer' })) {
    const path = `${dir}/${decodePath(entry)}`
    if (!lstat(root, path)?.isDirectory()) yield path
    else if (lstat(root, `${path}/.git`) !== undefined) yield `${path}/`
    else yield* filesBelow(root, path)
  }
}

function lstat(root: string, path: string): Stats | undefined {
  try {
    return lstatSync(nativePathIn(root, path))
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG', 'ELOOP')) return undefined
    throw error
  }
}

/** Entries of a commit's tree, by path. Submodules are left out: they are other repositories. */
export async function readTreeEntries(
  objects: ObjectReader,
  commit: Oid,
  paths: Iterable<string>,
): Promise<Map<string, FileEntry>> {
  const entries = await readEntries(objects, commit, paths)
  return new Map([...entries].filter(([, { mode }]) => mode !== submoduleMode))
}

/** Paths that are on disk as the entries say: by kind, executable bit, and content as git would store it. */
export async function findUnchanged(
  repo: Repo,
  disk: Disk,
  entries: ReadonlyMap<string, FileEntry>,
): Promise<Set<string>> {
  const hasModes = await readsModes(repo)
  const sameKind = [...entries].filter(([path, { mode }]) => isSameKind(disk.at(path), mode, hasModes))
  const unchanged = new Set<string>()
  const undecided: string[] = []
  for (const [path, { oid, mode }] of sameKind) {
    const content = disk.read(path)
    if (content !== undefined && blobOid(content, oid) === oid) unchanged.add(path)
    // `git hash-object` reads one name a line.
    else if (content !== undefined && mode !== linkMode && !path.includes('\n')) undecided.push(path)
  }
  const stored = await hashAsStored(repo, undecided)
  for (const [index, path] of undecided.entries())
    if (stored[index] === entries.get(path)?.oid) unchanged.add(path)
  return unchanged
}

// Where the file system has no executable bit, git is configured to ignore it.
async function readsModes(repo: Repo): Promise<boolean> {
  const { stdout } = await git(repo, ['config', '--get', '--type=bool', 'core.fileMode'], {
    accept: [1, 128],
  })
  return stdout.toString('latin1').trim() !== 'false'
}

function isSameKind(found: PathState, mode: string, hasModes: boolean): boolean {
  if (mode === linkMode) return found.kind === 'link'
  return found.kind === 'file' && (!hasModes || ((found.mode & 0o100) !== 0) === (mode === '100755'))
}

// Line endings and filters: different bytes on disk may be the same blob.
// https://git-scm.com/docs/git-hash-object
async function hashAsStored(repo: Repo, paths: string[]): Promise<Oid[]> {
  if (paths.length === 0) return []
  const stdin = Buffer.concat(paths.flatMap((path) => [encodePath(path), Buffer.from('\n')]))
  const { stdout } = await git(repo, ['hash-object', '--stdin-paths'], { stdin, accept: [1, 128] })
  return stdout.toString('latin1').split('\n')
}
