// Reads files of the work tree for the tree of a step: content as git would store it, with links and
// executable bits.

import { accessSync, constants, existsSync, lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { git } from '../git/exec.ts'
import type { TreeChange } from '../git/fast-import.ts'
import { blobOid, fileOid, type Oid } from '../git/oid.ts'
import type { Repo } from '../git/repo.ts'
import { type FileEntry, linkMode, parentOf } from '../git/tree.ts'
import { encodePath, nativePathIn } from '../std/encoding.ts'
import { isErrno } from '../std/errors.ts'

/** Larger files are left out of steps: build products would fill the disk. */
export const maxSnapshotBytes = 50 * 1024 * 1024

// More content than this is not held in memory, and no file larger than the other.
const heldBytes = 32 * 1024 * 1024
const largeBytes = 256 * 1024

export interface Snapshot {
  /** Large files, and what exceeds a sum, are only named: `storeFiles` reads them. */
  changes: TreeChange[]
  /** Files that are too large, too much or unreadable; the step keeps their earlier content. */
  skipped: string[]
  /** Signatures of what was read, taken before it was; empty where that cannot be relied on. */
  signatures: Map<string, string>
}

// File times come from a clock that may be this much behind.
const clockSlackMs = 20

const absent = '-'

export interface SnapshotOptions {
  convertsContent: boolean
  /** Paths that git calls deleted. One may be on disk all the same, if it is ignored; or in another repository. */
  gone?: ReadonlySet<string>
  /** Files that there is no room for. */
  excluded?: ReadonlySet<string>
}

/** One change per path: its content on disk, or a deletion. A path behind a link is not in this work tree. */
export async function readSnapshot(repo: Repo, paths: string[], options: SnapshotOptions): Promise<Snapshot> {
  const snapshot: Snapshot = { changes: [], skipped: [], signatures: new Map() }
  const isInside = parentFinder((dir) => isDirectory(repo, dir))
  const isOwn = parentFinder((dir) => isDirectory(repo, dir) && lstat(repo, `${dir}/.git`) === undefined)
  const at = Date.now()
  const filtered: { path: string; mode: '100644' | '100755' }[] = []
  const attributes = attributeFinder(repo)
  let held = 0
  for (const path of new Set(paths)) {
    const stat = (options.gone?.has(path) ? isOwn : isInside)(path) ? lstat(repo, path) : undefined
    snapshot.signatures.set(path, isRacy(stat, at) ? '' : signatureOf(stat))
    if (stat === 'unreadable') snapshot.skipped.push(path)
    else if (stat === undefined || stat.isDirectory()) snapshot.changes.push({ path, deleted: true })
    else if (stat.isSymbolicLink())
      snapshot.changes.push({
        path,
        mode: '120000',
        content: readlinkSync(nativePathIn(repo.root, path), { encoding: 'buffer' }),
      })
    else if (!stat.isFile() || stat.size > maxSnapshotBytes || options.excluded?.has(path))
      snapshot.skipped.push(path)
    else if ((options.convertsContent || attributes(path)) && !path.includes('\n'))
      filtered.push({ path, mode: modeOf(stat) })
    else if (stat.size > largeBytes || held + stat.size > heldBytes) addFile(repo, path, stat, snapshot)
    else {
      addContent(repo, path, stat, snapshot)
      held += stat.size
    }
  }
  if (filtered.length > 0) await addFiltered(repo, filtered, snapshot)
  for (const path of snapshot.skipped) snapshot.signatures.set(path, '')
  return { ...snapshot, changes: inOrder(snapshot.changes) }
}

/** Directories, then deletions, then files: a path can be deleted as a file and come back as a directory. */
export function inOrder(changes: TreeChange[]): TreeChange[] {
  return changes.toSorted((a, b) => rank(a) - rank(b))
}

function rank(change: TreeChange): number {
  if ('deleted' in change) return 1
  return change.mode === '040000' ? 0 : 2
}

export interface UntrackedPaths {
  /** Those that the last step holds as they are. */
  stored: string[]
  others: string[]
}

/**
 * Finds the files that exceed a sum of bytes. Those that are stored already stay; of the others the smallest fit
 * first, so that build products are left out and not what somebody wrote.
 */
export function findExcess(repo: Repo, { stored, others }: UntrackedPaths, limit: number): Set<string> {
  if (others.length === 0) return new Set()
  // Larger ones are left out in any case.
  const sizeIn = (path: string) => {
    const size = sizeOf(repo, path)
    return size > maxSnapshotBytes ? 0 : size
  }
  let sum = stored.reduce((total, path) => total + sizeIn(path), 0)
  const sizes = others.map((path) => ({ path, size: sizeIn(path) }))
  const bySize = sizes.toSorted((a, b) => a.size - b.size || (a.path < b.path ? -1 : 1))
  return new Set(
    bySize.flatMap(({ path, size }) => {
      if (size > 0 && sum + size > limit) return [path]
      sum += size
      return []
    }),
  )
}

/** Tells which of the paths have not changed since a snapshot took these signatures. */
export function unchangedFinder(repo: Repo, known: Record<string, string>): (path: string) => boolean {
  const isInside = parentFinder((dir) => isDirectory(repo, dir))
  return (path) => {
    const before = known[path]
    return !!before && before === signatureOf(isInside(path) ? lstat(repo, path) : undefined)
  }
}

// Any change of a file, of its name, of its mode or of its times sets the time of its last status change.
function signatureOf(stat: Stats | 'unreadable' | undefined): string {
  if (stat === 'unreadable') return ''
  if (stat === undefined || stat.isDirectory()) return absent
  return [stat.ino, stat.size, stat.mode, stat.ctimeMs * 4096].map((part) => part.toString(36)).join('.')
}

// A file that changed while it was read, or within the same tick of the clock, looks as it did before: as with
// git's index. https://git-scm.com/docs/racy-git
function isRacy(stat: Stats | 'unreadable' | undefined, at: number): boolean {
  return typeof stat === 'object' && !stat.isDirectory() && stat.ctimeMs >= at - clockSlackMs
}

/** When the file last changed in any way, in milliseconds; undefined when it does not exist. */
export function changedAt(repo: Repo, path: string): number | undefined {
  const stat = findStat(repo, path)
  return stat === undefined ? undefined : Math.max(stat.mtimeMs, stat.ctimeMs)
}

/** The bytes of a file; 0 for anything else. */
export function sizeOf(repo: Repo, path: string): number {
  const stat = findStat(repo, path)
  return stat?.isFile() ? stat.size : 0
}

/** True when there is nothing at the path, nor a file or link in place of a directory above it. */
export function placeFinder(repo: Repo): (path: string) => boolean {
  const isInside = parentFinder((dir) => isDirectory(repo, dir))
  return (path) => isInside(path) && lstat(repo, path) === undefined
}

/** True when the path is on disk as the entry of a tree says, and when neither is there. */
export function isAsStored(repo: Repo, path: string, entry: FileEntry | undefined): boolean {
  const stat = findStat(repo, path)
  if (stat === undefined || stat.isDirectory() || entry === undefined)
    return entry === undefined && (stat === undefined || stat.isDirectory())
  if ((stat.isSymbolicLink() ? linkMode : modeOf(stat)) !== entry.mode) return false
  return worktreeOid(repo, path, entry.oid) === entry.oid
}

/** The id of the blob that a file or link of the work tree would be; undefined when a step could not hold it. */
export function worktreeOid(repo: Repo, path: string, sample: Oid): Oid | undefined {
  const stat = findStat(repo, path)
  const isLarge = stat?.isFile() && stat.size > largeBytes && stat.size <= maxSnapshotBytes
  if (isLarge) return readable(() => fileOid(nativePathIn(repo.root, path), sample))
  const content = readWorkFile(repo, path, stat)
  return content && blobOid(content, sample)
}

/** True when the file holds the blob with this id. */
export function hasOid(file: string | Buffer, oid: Oid): boolean {
  return readable(() => fileOid(file, oid)) === oid
}

/** Undefined when the file cannot be read. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (isErrno(error, 'EACCES', 'EPERM', 'ENOENT', 'EISDIR')) return undefined
    throw error
  }
}

/** Changes whenever the file does, without reading it. */
export function fileSignature(repo: Repo, path: string): string {
  const stat = findStat(repo, path)
  return stat === undefined ? '' : `${stat.mtimeMs} ${stat.ctimeMs} ${stat.size}`
}

export function readWorkFile(repo: Repo, path: string, stat = findStat(repo, path)): Buffer | undefined {
  if (stat?.isSymbolicLink()) return readlinkSync(nativePathIn(repo.root, path), { encoding: 'buffer' })
  if (!stat?.isFile() || stat.size > maxSnapshotBytes) return undefined
  return readable(() => readFileSync(nativePathIn(repo.root, path)))
}

function addContent(repo: Repo, path: string, stat: Stats, snapshot: Snapshot): void {
  const content = readWorkFile(repo, path, stat)
  if (content === undefined) snapshot.skipped.push(path)
  else snapshot.changes.push({ path, mode: modeOf(stat), content })
}

function addFile(repo: Repo, path: string, stat: Stats, snapshot: Snapshot): void {
  const file = nativePathIn(repo.root, path)
  try {
    accessSync(file, constants.R_OK)
    snapshot.changes.push({ path, mode: modeOf(stat), file })
  } catch {
    snapshot.skipped.push(path)
  }
}

// Git itself stores files with line ending conversion, LFS or other filters.
// https://git-scm.com/docs/git-hash-object
async function addFiltered(
  repo: Repo,
  files: { path: string; mode: '100644' | '100755' }[],
  snapshot: Snapshot,
): Promise<void> {
  const stdin = Buffer.concat(files.map(({ path }) => Buffer.concat([encodePath(path), Buffer.from('\n')])))
  const result = await git(repo, ['hash-object', '-w', '--stdin-paths'], { stdin, accept: [128] })
  const oids = result.stdout.toString('latin1').split('\n')
  for (const [index, { path, mode }] of files.entries()) {
    const oid = oids[index]
    if (oid) snapshot.changes.push({ path, mode, oid })
    else snapshot.skipped.push(path)
  }
}

function modeOf(stat: Stats): '100644' | '100755' {
  return (stat.mode & 0o111) === 0 ? '100644' : '100755'
}

function findStat(repo: Repo, path: string): Stats | undefined {
  const stat = lstat(repo, path)
  return stat === 'unreadable' ? undefined : stat
}

/** `unreadable`: a directory above it does not let anyone look. */
function lstat(repo: Repo, path: string): Stats | 'unreadable' | undefined {
  try {
    return lstatSync(nativePathIn(repo.root, path))
  } catch (error) {
    if (isErrno(error, 'EACCES', 'EPERM')) return 'unreadable'
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP')) return undefined
    throw error
  }
}

/** True when every directory above the path is one in this sense. */
function parentFinder(isOne: (dir: string) => boolean): (path: string) => boolean {
  const known = new Map<string, boolean>([['', true]])
  const isInside = (dir: string): boolean => {
    const cached = known.get(dir)
    if (cached !== undefined) return cached
    const inside = isInside(parentOf(dir)) && isOne(dir)
    known.set(dir, inside)
    return inside
  }
  return (path) => isInside(parentOf(path))
}

/** Not a file, nor a link to a directory elsewhere. What is not there yet can be one. */
function isDirectory(repo: Repo, dir: string): boolean {
  const stat = lstat(repo, dir)
  return stat === undefined || stat === 'unreadable' || stat.isDirectory()
}

// A .gitattributes file in any directory above a path may convert its content.
function attributeFinder(repo: Repo): (path: string) => boolean {
  const known = new Map<string, boolean>()
  const inDir = (dir: string): boolean => {
    const cached = known.get(dir)
    if (cached !== undefined) return cached
    const found =
      existsSync(nativePathIn(repo.root, dir === '' ? '.gitattributes' : `${dir}/.gitattributes`)) ||
      (dir !== '' && inDir(parentOf(dir)))
    known.set(dir, found)
    return found
  }
  const everywhere = existsSync(join(repo.commonDir, 'info', 'attributes'))
  return (path) => everywhere || inDir(parentOf(path))
}
