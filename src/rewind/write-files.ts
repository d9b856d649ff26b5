// Writes staged files into the work tree and deletes files, each atomically. It removes only the paths that
// it is given, and fails where something else is in the way. Files are staged beside the work tree first, so
// that most failures come before the first change.

import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { ObjectReader } from '../git/cat-file.ts'
import { git } from '../git/exec.ts'
import type { Oid } from '../git/oid.ts'
import type { Repo } from '../git/repo.ts'
import { type FileEntry, linkMode, parentOf } from '../git/tree.ts'
import { temporaryDir } from '../sessions/places.ts'
import { decodePath, encodePath, nativePathIn } from '../std/encoding.ts'
import { EntireError, isErrno } from '../std/errors.ts'
import { writePoint } from '../std/kill-point.ts'
import { type Disk, isFileLike, lookAtDisk, type PathState } from './disk.ts'

export interface FileChanges {
  root: string
  stage: Stage
  restore: string[]
  remove: string[]
  /** The directory the user is in, from the root: it stays, even when it becomes empty. */
  cwdInRepo: string | undefined
}

export function putFiles({ root, stage, restore, remove, cwdInRepo: standing }: FileChanges): void {
  const disk = lookAtDisk(root)
  for (const path of remove) {
    if (!isFileLike(disk.at(path))) continue
    writePoint()
    unlinkSync(nativePathIn(root, path))
  }
  for (const dir of new Set(remove.map(parentOf))) removeEmptyParents(root, dir, standing)
  for (const path of restore) {
    makeDirectories(root, parentOf(path))
    if (isDirectory(root, path)) removeEmptyTree(root, path)
    writePoint()
    moveIntoPlace(stage.pathOf(path), nativePathIn(root, path))
  }
  writePoint()
}

// Fails at a link to a directory, which would lead out of the work tree.
function makeDirectories(root: string, dir: string): void {
  if (dir === '') return
  makeDirectories(root, parentOf(dir))
  try {
    mkdirSync(nativePathIn(root, dir))
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
    if (!isDirectory(root, dir))
      throw new EntireError('write-failed', `${dir} is in the way: it is not a directory.`, {
        hint: 'Move it away and try again.',
      })
  }
}

function isDirectory(root: string, path: string): boolean {
  return lstatSync(nativePathIn(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false
}

// Git does not track empty directories, but one can be in the way of a file of that name.
function removeEmptyTree(root: string, dir: string): void {
  for (const entry of readdirSync(nativePathIn(root, dir), { encoding: 'buffer' })) {
    const path = `${dir}/${decodePath(entry)}`
    if (isDirectory(root, path)) removeEmptyTree(root, path)
  }
  rmdirSync(nativePathIn(root, dir))
}

function moveIntoPlace(from: string | Buffer, to: string | Buffer): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!isErrno(error, 'EXDEV')) throw error
    // Another file system is mounted inside the work tree.
    const copy = Buffer.concat([Buffer.from(to), Buffer.from('.entire-tmp')])
    if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from, { encoding: 'buffer' }), copy)
    else copyFileSync(from, copy)
    renameSync(copy, to)
  }
}

function removeEmptyParents(root: string, dir: string, standing: string | undefined): void {
  for (let at = dir; at !== ''; at = parentOf(at)) {
    if (standing === at || standing?.startsWith(`${at}/`)) return
    try {
      rmdirSync(nativePathIn(root, at))
    } catch {
      return
    }
  }
}

/**
 * A directory for files on their way into the work tree. There is one for each work tree: its user holds the
 * lock.
 */
export interface Stage extends Disposable {
  /**
   * Stages files as a checkout would write them, through filters. Files that exist keep their permissions.
   */
  addCheckedOut(disk: Disk, files: ReadonlyMap<string, FileEntry>): Promise<void>
  /** Stages files byte for byte, with exactly these permissions. */
  addRaw(objects: ObjectReader, commit: Oid, files: RawFile[]): Promise<void>
  /** Where the file for `path` is staged. */
  pathOf(path: string): string | Buffer
}

export interface RawFile {
  path: string
  /** Permission bits; undefined: a link. */
  mode: number | undefined
}

export function openStage(repo: Repo): Stage {
  const dir = stageDir(repo)
  const files = join(dir, 'files')
  clearStage(repo)
  const pathOf = (path: string) => nativePathIn(files, path)
  return {
    pathOf,
    async addCheckedOut(disk, wanted) {
      if (wanted.size === 0) return
      mkdirSync(files, { recursive: true })
      await checkOut(repo, dir, wanted)
      for (const [path, { mode }] of wanted) {
        const present = disk.at(path)
        if (mode !== linkMode && present.kind === 'file') chmodSync(pathOf(path), withGitMode(present, mode))
      }
    },
    async addRaw(objects, commit, wanted) {
      for (const { path, mode } of wanted) {
        const object = await objects.contents(`${commit}:${path}`)
        if (object === undefined)
          throw new EntireError(
            'not-found',
            `The copy of ${path} is lost: git has deleted ${commit.slice(0, 7)}.`,
          )
        mkdirSync(nativePathIn(files, parentOf(path)), { recursive: true })
        if (mode === undefined) symlinkSync(object.content, pathOf(path))
        else {
          writeFileSync(pathOf(path), object.content)
          chmodSync(pathOf(path), mode)
        }
      }
    },
    [Symbol.dispose]: () => clearStage(repo),
  }
}

/** Removes what a killed process left behind, too. */
export function clearStage(repo: Repo): void {
  rmSync(stageDir(repo), { recursive: true, force: true })
}

function stageDir(repo: Repo): string {
  return join(temporaryDir(repo), 'rewind')
}

// Git applies line endings, filters and links. A separate index leaves the user's alone.
// https://git-scm.com/docs/git-checkout-index
async function checkOut(repo: Repo, dir: string, files: ReadonlyMap<string, FileEntry>): Promise<void> {
  const env = { GIT_INDEX_FILE: join(dir, 'index') }
  const zero = Buffer.of(0)
  const entries = [...files].flatMap(([path, { mode, oid }]) => [
    Buffer.from(`${mode} ${oid}\t`),
    encodePath(path),
    zero,
  ])
  await git(repo, ['update-index', '-z', '--index-info'], { stdin: Buffer.concat(entries), env })
  const names = [...files.keys()].flatMap((path) => [encodePath(path), zero])
  await git(repo, ['checkout-index', '--quiet', '-z', '--stdin', `--prefix=${join(dir, 'files')}/`], {
    stdin: Buffer.concat(names),
    env,
  })
}

// Git records only whether a file is executable; the user decides who may read it.
function withGitMode(present: Extract<PathState, { kind: 'file' }>, mode: string): number {
  return mode === '100755' ? present.mode | ((present.mode & 0o444) >> 2) : present.mode & ~0o111
}
