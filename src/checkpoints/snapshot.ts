// Reads files of the work tree for the tree of a step: content as git would store it, with links and
// executable bits.

import { existsSync, lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { git } from '../git/exec.ts'
import type { TreeChange } from '../git/fast-import.ts'
import type { Repo } from '../git/repo.ts'
import { encodePath, nativePathIn } from '../std/encoding.ts'
import { isErrno } from '../std/errors.ts'

/** Larger files are left out of steps: build products would fill the disk. */
export const maxSnapshotBytes = 50 * 1024 * 1024

export interface Snapshot {
  changes: TreeChange[]
  /** Files that are too large or unreadable; the step keeps their earlier content. */
  skipped: string[]
}

/** One change per path: its content on disk, or a deletion. */
export async function readSnapshot(
  repo: Repo,
  paths: string[],
  options: { convertsContent: boolean },
): Promise<Snapshot> {
  const snapshot: Snapshot = { changes: [], skipped: [] }
  const filtered: { path: string; mode: '100644' | '100755' }[] = []
  const attributes = attributeFinder(repo)
  for (const path of new Set(paths)) {
    const stat = lstat(repo, path)
    if (stat === undefined || stat.isDirectory()) snapshot.changes.push({ path, deleted: true })
    else if (stat.isSymbolicLink())
      snapshot.changes.push({
        path,
        mode: '120000',
        content: readlinkSync(nativePathIn(repo.root, path), { encoding: 'buffer' }),
      })
    else if (!stat.isFile() || stat.size > maxSnapshotBytes) snapshot.skipped.push(path)
    else if ((options.convertsContent || attributes(path)) && !path.includes('\n'))
      filtered.push({ path, mode: modeOf(stat) })
    else addContent(repo, path, stat, snapshot)
  }
  if (filtered.length > 0) await addFiltered(repo, filtered, snapshot)
  // A path can be deleted as a file and come back as a directory.
  snapshot.changes.sort((a, b) => Number('deleted' in b) - Number('deleted' in a))
  return snapshot
}

/** When the file last changed in any way, in milliseconds; undefined when it does not exist. */
export function changedAt(repo: Repo, path: string): number | undefined {
  const stat = lstat(repo, path)
  return stat === undefined ? undefined : Math.max(stat.mtimeMs, stat.ctimeMs)
}

/** Changes whenever the file does, without reading it. */
export function fileSignature(repo: Repo, path: string): string {
  const stat = lstat(repo, path)
  return stat === undefined ? '' : `${stat.mtimeMs} ${stat.ctimeMs} ${stat.size}`
}

export function readWorkFile(repo: Repo, path: string, stat = lstat(repo, path)): Buffer | undefined {
  if (stat?.isSymbolicLink()) return readlinkSync(nativePathIn(repo.root, path), { encoding: 'buffer' })
  if (!stat?.isFile() || stat.size > maxSnapshotBytes) return undefined
  try {
    return readFileSync(nativePathIn(repo.root, path))
  } catch (error) {
    if (isErrno(error, 'EACCES', 'EPERM', 'ENOENT')) return undefined
    throw error
  }
}

function addContent(repo: Repo, path: string, stat: Stats, snapshot: Snapshot): void {
  const content = readWorkFile(repo, path, stat)
  if (content === undefined) snapshot.skipped.push(path)
  else snapshot.changes.push({ path, mode: modeOf(stat), content })
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

function lstat(repo: Repo, path: string): Stats | undefined {
  try {
    return lstatSync(nativePathIn(repo.root, path))
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG')) return undefined
    throw error
  }
}

// A .gitattributes file in any directory above a path may convert its content.
function attributeFinder(repo: Repo): (path: string) => boolean {
  const known = new Map<string, boolean>()
  const inDir = (dir: string): boolean => {
    const cached = known.get(dir)
    if (cached !== undefined) return cached
    const found =
      existsSync(nativePathIn(repo.root, dir === '' ? '.gitattributes' : `${dir}/.gitattributes`)) ||
      (dir !== '' && inDir(parentDir(dir)))
    known.set(dir, found)
    return found
  }
  const everywhere = existsSync(join(repo.commonDir, 'info', 'attributes'))
  return (path) => everywhere || inDir(parentDir(path))
}

function parentDir(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}
