// What stands at a place in the hooks directory: ours, a manager's, somebody else's.
import { closeSync, lstatSync, openSync, readFileSync, readlinkSync, readSync, type Stats, statSync } from 'node:fs'
import { isErrno } from '../std/errors.ts'
import { type HookManager, managerOf } from './hook-managers.ts'
import { hookMarker, hookNames } from './hook-names.ts'

export interface HookFile {
  path: string
  /** To see, before something is done to it, that it is still the same file. */
  inode: number
  /** The beginning of its text, a character per byte; through a link, of its target; empty for what cannot be read. */
  head: string
  ours: boolean
  manager: HookManager | undefined
  symlink: boolean
  executable: boolean
}

// A hook can be a link to a large program; scripts that tell us something are short.
const headBytes = 65_536

export function readHookFile(path: string): HookFile | undefined {
  const stat = findStat(path)
  if (stat === undefined) return undefined
  const symlink = stat.isSymbolicLink()
  // A link to another hook beside it leads to our script once that hook is ours; it says nothing about the link.
  const head = symlink && hookNames.some((name) => name === readlinkSync(path)) ? '' : readHead(path)
  // A link is never ours, whatever it points to: we write files.
  const ours = stat.isFile() && head.split('\n', 40).includes(hookMarker)
  return { path, inode: stat.ino, head, ours, manager: ours ? undefined : managerOf(head), symlink, executable: (stat.mode & 0o100) !== 0 }
}

export function isUnchanged(file: HookFile): boolean {
  return findStat(file.path)?.ino === file.inode
}

function findStat(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (isErrno(error, 'ENOTDIR')) return undefined
    throw error
  }
}

function readHead(path: string): string {
  try {
    if (!statSync(path).isFile()) return ''
    const fd = openSync(path, 'r')
    try {
      const buffer = Buffer.allocUnsafe(headBytes)
      return buffer.toString('latin1', 0, readSync(fd, buffer))
    } finally {
      closeSync(fd)
    }
  } catch {
    // A dangling link or an unreadable file: somebody else's, and kept as it is.
    return ''
  }
}

export function sameContent(one: HookFile, other: HookFile): boolean {
  if (one.head !== other.head || one.symlink !== other.symlink) return false
  try {
    return one.symlink ? readlinkSync(one.path) === readlinkSync(other.path) : readFileSync(one.path).equals(readFileSync(other.path))
  } catch {
    return false
  }
}
