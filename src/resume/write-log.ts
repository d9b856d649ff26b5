// Putting a log in the place of another one: seen whole or not at all, and whatever it replaces is kept beside it.

import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import type { Agent, LogOrigin } from '../model/agent.ts'
import type { DeliveredLog } from '../model/session-file.ts'
import { readSession } from '../sessions/store.ts'
import type { Recorder } from '../sessions/work.ts'
import { EntireError, isErrno } from '../std/errors.ts'
import { writePoint } from '../std/fault.ts'
import { exists, fileSize, findStat, readBytes, readRange, removeFile } from '../std/file.ts'

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

// A transcript on its way back to an agent that puts it in its place itself. Whatever it replaces is kept beside it.

/** Undefined when the agent could not take it: then its file is to be written. */
export async function deliverToAgent(
  { env, clock }: Pick<Recorder, 'env' | 'clock'>,
  agent: Agent,
  log: DeliveredLog,
): Promise<{ backup?: string } | undefined> {
  if (agent.resume?.deliver === undefined) return undefined
  const before = readBytes(log.path)
  if (before?.equals(log.bytes)) return {}
  // A copy and no second name: the agent may write into the file.
  const backup = before && copyBeside(log.path, clock())
  const isTaken = await agent.resume.deliver(log, env)
  const isLost =
    isTaken && before !== undefined && readBytes(log.path)?.subarray(0, before.length).equals(before) !== true
  if (backup !== undefined && !isLost) removeFile(backup)
  if (!isTaken) return undefined
  return isLost && backup !== undefined ? { backup } : {}
}

function copyBeside(path: string, now: Date): string {
  const stamp = now.toISOString().replace(/[-:]|\.\d+/g, '')
  for (let attempt = 0; ; attempt += 1) {
    const backup = `${path}.backup-${stamp}${attempt === 0 ? '' : `-${attempt}`}`
    try {
      copyFileSync(path, backup, constants.COPYFILE_EXCL)
      return backup
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error
    }
  }
}

// Where a session's log belongs on this machine and in this work tree. Stored data names other machines, and may name anything.

export type LocalContext = Pick<Recorder, 'repo' | 'env' | 'home'>

/** Ids become file names and parts of a command that people paste into a shell. */
export function isPlainId(id: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,199}$/.test(id) && !id.includes('..')
}

/** Undefined when the agent cannot be given sessions, or the place would lie outside its directory. */
export async function findLogPath(
  context: LocalContext,
  agent: Agent,
  session: string,
  origin: LogOrigin = {},
): Promise<string | undefined> {
  if (agent.resume === undefined || !isPlainId(session)) return undefined
  const known = knownPath(context, agent, session)
  const dir =
    known === undefined
      ? resolve(await agent.resume.sessionDir(context.repo.root, context.env))
      : dirname(known)
  const file = await agent.resume.sessionFile(
    dir,
    session,
    known === undefined ? origin : { ...origin, name: basename(known) },
  )
  const path = resolve(file)
  if (!path.startsWith(dir + sep)) return undefined
  await agent.resume.mirror?.(session, path, { root: context.repo.root, env: context.env })
  return path
}

/** Where hooks of this work tree saw the log: an agent started in a subdirectory keeps it elsewhere than one started at the top. */
function knownPath({ repo, home }: LocalContext, agent: Agent, session: string): string | undefined {
  const state = readSession(repo, session)
  const path = state?.transcriptPath
  if (
    path === undefined ||
    state?.worktreePath !== repo.root ||
    state.agentType !== agent.type ||
    !isAbsolute(path)
  )
    return undefined
  // The repository may have been moved to another home together with its states.
  return path.startsWith(join(home, sep)) || exists(dirname(path)) ? resolve(path) : undefined
}
