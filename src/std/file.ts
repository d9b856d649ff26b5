// Reads and writes files: a missing file is a value, and a write is seen as a whole or not at all.

import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  type Stats,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { isErrno } from './errors.ts'
import { writePoint } from './kill-point.ts'

// Error codes that mean a missing file. The last one stands for a name with a NUL byte in it.
const absent = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']

export function readText(path: string): string | undefined {
  return readBytes(path)?.toString('utf8')
}

export function readBytes(path: string | Buffer): Buffer | undefined {
  try {
    const fd = openRegular(path)
    try {
      return readFileSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (isErrno(error, 'EISDIR', ...absent)) return undefined
    throw error
  }
}

/**
 * Opens a file for reading. A pipe, a device, a socket or a directory is as good as missing: to open or read
 * one could wait for ever, and paths come from payloads, transcripts and plugins.
 */
export function openRegular(path: string | Buffer): number {
  const fd = openWithoutWaiting(path)
  if (fd !== undefined && fstatSync(fd).isFile()) return fd
  if (fd !== undefined) closeSync(fd)
  throw Object.assign(new Error(`EISDIR: not a regular file, open '${path}'`), { code: 'EISDIR' })
}

// Without the flag, opening a pipe waits for its writer. A socket cannot be opened at all.
function openWithoutWaiting(path: string | Buffer): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    if (isErrno(error, 'ENXIO')) return undefined
    throw error
  }
}

/** The size of a regular file, or undefined when there is none. */
export function fileSize(path: string | Buffer): number | undefined {
  const stat = findStat(path)
  return stat?.isFile() ? stat.size : undefined
}

export function exists(path: string | Buffer): boolean {
  return findStat(path) !== undefined
}

/**
 * Follows symlinks. A path through a file or a symlink loop is absent too, which `throwIfNoEntry` does not
 * cover in Bun.
 */
export function findStat(path: string | Buffer): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (isErrno(error, ...absent)) return undefined
    throw error
  }
}

/** Reads part of a file; shorter than `length` at the end of the file. */
export function readRange(fd: number, from: number, length: number): Buffer {
  const buffer = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const count = readSync(fd, buffer, filled, length - filled, from + filled)
    if (count === 0) break
    filled += count
  }
  return buffer.subarray(0, filled)
}

// The name can be guessed: a link at it is not followed.
const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW

export interface WriteOptions {
  mode?: number
  dirMode?: number
  sync?: boolean
}

/**
 * Writes beside the target and renames, so that neither a reader nor a crash leaves half a file. A symlink at
 * the path is replaced, not followed: a repository could contain one that points anywhere. Editors of user
 * files resolve the path first.
 */
export function writeAtomic(path: string, content: string | Uint8Array, options: WriteOptions = {}): void {
  using staged = stageFile(path, content, options)
  staged.place()
}

/** A file written under a temporary name. Disposed of before `place`, it is removed. */
export interface StagedFile extends Disposable {
  place(): void
}

/** The first half of an atomic write, which takes most of its time. */
export function stageFile(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): StagedFile {
  const temporary = `${path}.${process.pid}.tmp`
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  writePoint()
  try {
    const fd = inDirectory(dirname(path), options.dirMode, () =>
      openSync(temporary, newFile, options.mode ?? 0o600),
    )
    try {
      if (options.mode !== undefined) fchmodSync(fd, options.mode)
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
      if (options.sync) fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    removeFile(temporary)
    throw error
  }
  return stagedAt(temporary, path)
}

/** Acts in a directory, and creates it when the attempt shows that it is missing, which is rare. */
export function inDirectory<T>(dir: string, mode: number | undefined, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error
    mkdirSync(dir, { recursive: true, mode: mode ?? 0o750 })
    return act()
  }
}

function stagedAt(temporary: string, path: string): StagedFile {
  let isPlaced = false
  return {
    place() {
      writePoint()
      renameSync(temporary, path)
      isPlaced = true
      writePoint()
    },
    [Symbol.dispose]() {
      if (!isPlaced) removeFile(temporary)
    },
  }
}

/** Stages many private files and syncs them all together, which the disk does faster than one by one. */
export async function stageFiles(files: { path: string; content: string }[]): Promise<StagedFile[]> {
  for (const dir of new Set(files.map(({ path }) => dirname(path))))
    mkdirSync(dir, { recursive: true, mode: 0o750 })
  const staged: StagedFile[] = []
  try {
    const synced = files.map(({ path, content }) => {
      const temporary = `${path}.${process.pid}.tmp`
      writePoint()
      const fd = openSync(temporary, newFile, 0o600)
      staged.push(stagedAt(temporary, path))
      return writeAndSync(fd, Buffer.from(content))
    })
    await Promise.all(synced)
  } catch (error) {
    for (const file of staged) file[Symbol.dispose]()
    throw error
  }
  return staged
}

async function writeAndSync(fd: number, bytes: Buffer): Promise<void> {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    await new Promise<void>((resolve, reject) => fsync(fd, (error) => (error ? reject(error) : resolve())))
  } finally {
    closeSync(fd)
  }
}

/** Overwrites a small file in place. A crash may leave half of it, so readers must treat that as none. */
export function overwrite(path: string, text: string): void {
  writePoint()
  writeFileSync(path, text, { mode: 0o600 })
  writePoint()
}

/** Truncates a file; a missing one is fine. */
export function emptyFile(path: string): void {
  writePoint()
  try {
    truncateSync(path)
  } catch (error) {
    if (!isErrno(error, ...absent)) throw error
  }
}

/** Appends to a file: the whole text, or nothing when the disk is full. */
export function appendWhole(path: string, text: string): void {
  writePoint()
  const fd = openSync(path, 'a')
  const { size } = fstatSync(fd)
  try {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
  } catch (error) {
    ftruncateSync(fd, size)
    throw error
  } finally {
    closeSync(fd)
  }
  writePoint()
}

/** Removes a file; a missing one is fine. */
export function removeFile(path: string | Buffer): void {
  writePoint()
  try {
    unlinkSync(path)
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR')) throw error
  }
}
