// Putting a log in the place of another one: seen whole or not at all, and whatever it replaces is kept beside it.
import { closeSync, constants, copyFileSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { EntireError, isErrno } from '../std/errors.ts'
import { writePoint } from '../std/fault.ts'
import { fileSize, findStat, removeFile } from '../std/file.ts'
import { readRange } from '../std/file-range.ts'

export interface LogWriting {
  write(bytes: Uint8Array): void
  /** Puts the log in its place, and says where the one that was there is kept. */
  finish(): string | undefined
  /** Leaves everything as it was. */
  abort(): void
}

const compared = 1024 * 1024

export function writeLog(path: string, now: Date): LogWriting {
  const temporary = `${path}.${process.pid}.tmp`
  const fd = failing(path, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o750 })
    writePoint()
    return openSync(temporary, 'w', 0o600)
  })
  let isOpen = true
  const close = () => {
    if (isOpen) closeSync(fd)
    isOpen = false
  }
  const abort = () => {
    close()
    removeFile(temporary)
  }
  // A full disk leaves the old log as it is.
  const guarded = <T>(act: () => T): T => {
    try {
      return failing(path, act)
    } catch (error) {
      abort()
      throw error
    }
  }
  return {
    abort,
    write: (bytes) =>
      guarded(() => {
        for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
      }),
    finish: () =>
      guarded(() => {
        fsyncSync(fd)
        close()
        const beginning = compareStart(path, temporary)
        if (beginning === 'same') {
          removeFile(temporary)
          return undefined
        }
        const backup = beginning === 'other' ? keepBeside(path, now) : undefined
        writePoint()
        renameSync(temporary, path)
        return backup
      }),
  }
}

/** `start`: nothing of the old file would be missing from the new one. */
function compareStart(old: string, fresh: string): 'none' | 'same' | 'start' | 'other' {
  const [oldSize, freshSize] = [fileSize(old), fileSize(fresh) ?? 0]
  if (oldSize === undefined) return nothingAt(old)
  if (oldSize > freshSize) return 'other'
  const [a, b] = [openSync(old, 'r'), openSync(fresh, 'r')]
  try {
    for (let at = 0; at < oldSize; at += compared) {
      const length = Math.min(compared, oldSize - at)
      if (!readRange(a, at, length).equals(readRange(b, at, length))) return 'other'
    }
  } finally {
    closeSync(a)
    closeSync(b)
  }
  return oldSize === freshSize ? 'same' : 'start'
}

function nothingAt(path: string): 'none' {
  if (findStat(path) === undefined) return 'none'
  throw unwritable(path, 'something that is not a file has its name')
}

// Agents list files by their endings, so a copy must not end like a log.
function keepBeside(path: string, now: Date): string {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '')
  for (let attempt = 0; ; attempt += 1) {
    const backup = `${path}.backup-${stamp}${attempt === 0 ? '' : `-${attempt}`}`
    try {
      writePoint()
      return keepAs(path, backup)
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error
    }
  }
}

function keepAs(path: string, backup: string): string {
  try {
    linkSync(path, backup)
  } catch (error) {
    // Not every file system knows a second name for a file.
    if (!isErrno(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV')) throw error
    copyFileSync(path, backup, constants.COPYFILE_EXCL)
  }
  return backup
}

const reasons: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'it is larger than files may be',
  EIO: 'the disk failed',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'a part of its path is a file',
  EISDIR: 'something that is not a file has its name',
}

function failing<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw isErrno(error, ...Object.keys(reasons))
      ? unwritable(path, reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? '', error)
      : error
  }
}

function unwritable(path: string, why: string, cause?: unknown): EntireError {
  return new EntireError('write-failed', `The session log could not be written to ${path}: ${why}.`, {
    hint: 'A log that was there before is as it was. Make room for the new one and run the command again.',
    cause,
  })
}
