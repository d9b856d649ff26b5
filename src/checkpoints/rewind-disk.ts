// What is really at a path of the work tree, found without following links out of it: a rewind must know what it would replace.
import { accessSync, constants, lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import { isErrno } from '../std/errors.ts'
import { decodePath, nativePathIn } from '../std/path-bytes.ts'
import { maxSnapshotBytes } from './snapshot.ts'

export type Place =
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
  at(path: string): Place
  /** Bytes of a file, or what a link says; undefined when there is neither, or no copy can be kept. */
  read(path: string): Buffer | undefined
}

export function lookAtDisk(root: string): Disk {
  const parents = new Map<string, Place | undefined>()
  const parentTrouble = (dir: string): Place | undefined => {
    if (dir === '') return undefined
    const known = parents.get(dir)
    if (known !== undefined || parents.has(dir)) return known
    const trouble = parentTrouble(parentOf(dir)) ?? troubleAt(root, dir)
    parents.set(dir, trouble)
    return trouble
  }
  const at = (path: string): Place => parentTrouble(parentOf(path)) ?? describe(lstat(root, path))
  return { root, at, read: (path) => (isKeepable(root, path, at(path)) ? readRaw(root, path) : undefined) }
}

/** True when a copy of what is there can be kept. */
export function isKeepable(root: string, path: string, place: Place): boolean {
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

function troubleAt(root: string, dir: string): Place | undefined {
  const stat = lstat(root, dir)
  if (stat === undefined) return { kind: 'absent' }
  if (!stat.isDirectory()) return { kind: 'behind', parent: dir }
  return lstat(root, `${dir}/.git`) === undefined ? undefined : { kind: 'foreign', parent: dir }
}

function describe(stat: Stats | undefined): Place {
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
