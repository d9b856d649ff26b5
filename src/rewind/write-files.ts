// Puts staged files into the work tree and takes files away, one atomic step each. It removes nothing that it was not told to: where
// something else is in the way it fails. The index is not touched, and files that are not named keep their times.

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
import { decodePath, encodePath, nativePathIn } from '../std/encoding.ts'
import { EntireError, isErrno } from '../std/errors.ts'
import { writePoint } from '../std/fault.ts'
import { type Disk, type FileEntry, linkMode, lookAtDisk, type PathState, parentOf } from './disk.ts'

export interface Putting {
  root: string
  stage: Stage
  restore: string[]
  remove: string[]
  /** The directory the user is in, from the root: it is not taken away for being empty. */
  cwdInRepo: string | undefined
}

export function putFiles({ root, stage, restore, remove, cwdInRepo: standing }: Putting): void {
  const disk = lookAtDisk(root)
  for (const path of remove) {
    if (!['file', 'link', 'other'].includes(disk.at(path).kind)) continue
    writePoint()
    unlinkSync(nativePathIn(root, path))
  }
  for (const dir of new Set(remove.map(parentOf))) removeEmptyParents(root, dir, standing)
  for (const path of restore) {
    makeDirectories(root, parentOf(path))
    if (isDirectory(root, path)) removeEmptyTree(root, path)
    writePoint()
    moveIntoPlace(stage.place(path), nativePathIn(root, path))
  }
  writePoint()
}

// A link to a directory would lead out of the work tree.
function makeDirectories(root: string, dir: string): void {
  if (dir === '') return
  makeDirectories(root, parentOf(dir))
  try {
    mkdirSync(nativePathIn(root, dir))
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
    if (!isDirectory(root, dir))
      throw new EntireError('write-failed', `${dir} is in the way: it is no directory.`, {
        hint: 'Move it away and try again.',
      })
  }
}

function isDirectory(root: string, path: string): boolean {
  return lstatSync(nativePathIn(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false
}

// Directories without files are nothing to git; one of them stands in the way of a file of that name.
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
    const near = Buffer.concat([Buffer.from(to), Buffer.from('.entire-tmp')])
    if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from, { encoding: 'buffer' }), near)
    else copyFileSync(from, near)
    renameSync(near, to)
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

// Files on their way into the work tree: written beside it first, so that all that can fail has failed before anything of the user's changes.

/** One at a time: whoever stages holds the lock of the work tree. */
export interface Stage extends Disposable {
  /** As a checkout would write them, through filters. Files that are there keep their permissions. */
  addCheckedOut(disk: Disk, files: ReadonlyMap<string, FileEntry>): Promise<void>
  /** Byte for byte, with exactly these permissions. */
  addRaw(objects: ObjectReader, commit: Oid, files: RawFile[]): Promise<void>
  /** Where the staged form of a path is. */
  place(path: string): string | Buffer
}

export interface RawFile {
  path: string
  /** Permission bits; undefined: a link. */
  mode: number | undefined
}

function stageDir(repo: Repo): string {
  return join(repo.root, '.entire', 'tmp', 'rewind')
}

/** What a process that was killed left behind. */
export function clearStage(repo: Repo): void {
  rmSync(stageDir(repo), { recursive: true, force: true })
}

export function openStage(repo: Repo): Stage {
  const dir = stageDir(repo)
  const files = join(dir, 'files')
  clearStage(repo)
  const place = (path: string) => nativePathIn(files, path)
  return {
    place,
    async addCheckedOut(disk, wanted) {
      if (wanted.size === 0) return
      mkdirSync(files, { recursive: true })
      await checkOut(repo, dir, wanted)
      for (const [path, { mode }] of wanted) {
        const now = disk.at(path)
        if (mode !== linkMode && now.kind === 'file') chmodSync(place(path), keptMode(now, mode))
      }
    },
    async addRaw(objects, commit, wanted) {
      for (const { path, mode } of wanted) {
        const object = await objects.contents(`${commit}:${path}`)
        if (object === undefined)
          throw new EntireError(
            'not-found',
            `The copy of ${path} is gone: git has deleted ${commit.slice(0, 7)}.`,
          )
        mkdirSync(nativePathIn(files, parentOf(path)), { recursive: true })
        if (mode === undefined) symlinkSync(object.content, place(path))
        else {
          writeFileSync(place(path), object.content)
          chmodSync(place(path), mode)
        }
      }
    },
    [Symbol.dispose]: () => clearStage(repo),
  }
}

// Only git knows line endings, filters and links. An index of its own keeps it away from the user's. https://git-scm.com/docs/git-checkout-index
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

// Git knows one bit of the permissions; who may read the file is the user's decision.
function keptMode(place: Extract<PathState, { kind: 'file' }>, mode: string): number {
  return mode === '100755' ? place.mode | ((place.mode & 0o444) >> 2) : place.mode & ~0o111
}
