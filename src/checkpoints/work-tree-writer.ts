// Puts staged files into the work tree and takes files away, one atomic step each. It removes nothing that it was not told to: where
// something else is in the way it fails. The index is not touched, and files that are not named keep their times.
import { copyFileSync, lstatSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs'
import { EntireError, isErrno } from '../std/errors.ts'
import { writePoint } from '../std/fault.ts'
import { decodePath, nativePathIn } from '../std/path-bytes.ts'
import { lookAtDisk, parentOf } from './rewind-disk.ts'
import type { Stage } from './rewind-stage.ts'

export interface Putting {
  root: string
  stage: Stage
  restore: string[]
  remove: string[]
  /** The directory the user is in, from the root: it is not taken away for being empty. */
  standing: string | undefined
}

export function putFiles({ root, stage, restore, remove, standing }: Putting): void {
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
      throw new EntireError('write-failed', `${dir} is in the way: it is no directory.`, { hint: 'Move it away and try again.' })
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
