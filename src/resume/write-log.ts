// Writes a session log to where its agent looks for it. The log appears whole or not at all, and the one it
// replaces is kept beside it.

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
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Agent, LogOrigin } from '../model/agent.ts'
import type { DeliveredLog } from '../model/session-file.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { readSession } from '../sessions/store.ts'
import { EntireError, isErrno, systemReason } from '../std/errors.ts'
import { exists, fileSize, findStat, openRegular, readBytes, readRange, removeFile } from '../std/file.ts'
import { findLink } from '../std/inside.ts'
import { writePoint } from '../std/kill-point.ts'

export interface LogWriting {
  write(bytes: Uint8Array): void
  /** Moves the log into its place. Returns the path of the backup, if a log was replaced. */
  finish(): string | undefined
  /** Leaves everything as it was. */
  abort(): void
}

export function writeLog(path: string, now: Date): LogWriting {
  const temporary = `${path}.${process.pid}.tmp`
  const fd = explaining(path, () => {
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
      return explaining(path, act)
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
        const backup = beginning === 'other' ? linkBeside(path, now) : undefined
        writePoint()
        renameSync(temporary, path)
        return backup
      }),
  }
}

const blockBytes = 1024 * 1024

/** `start`: the new file begins with the whole old one, so that nothing would be lost. */
function compareStart(old: string, fresh: string): 'none' | 'same' | 'start' | 'other' {
  const [oldSize, freshSize] = [fileSize(old), fileSize(fresh) ?? 0]
  if (oldSize === undefined) {
    if (findStat(old) === undefined) return 'none'
    throw unwritable(old, 'a directory has its name')
  }
  if (oldSize > freshSize) return 'other'
  const [a, b] = [openRegular(old), openRegular(fresh)]
  try {
    for (let at = 0; at < oldSize; at += blockBytes) {
      const length = Math.min(blockBytes, oldSize - at)
      if (!readRange(a, at, length).equals(readRange(b, at, length))) return 'other'
    }
  } finally {
    closeSync(a)
    closeSync(b)
  }
  return oldSize === freshSize ? 'same' : 'start'
}

// A hard link costs nothing, but not every file system has them.
function linkBeside(path: string, now: Date): string {
  return backUp(path, now, (backup) => {
    writePoint()
    try {
      linkSync(path, backup)
    } catch (error) {
      if (!isErrno(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV')) throw error
      copyFileSync(path, backup, constants.COPYFILE_EXCL)
    }
  })
}

// Agents list files by their endings, so a backup must not end like a log.
function backUp(path: string, now: Date, create: (backup: string) => void): string {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  for (let attempt = 0; ; attempt += 1) {
    const backup = `${path}.backup-${time}${attempt === 0 ? '' : `-${attempt}`}`
    try {
      create(backup)
      return backup
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error
    }
  }
}

function explaining<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    const reason = systemReason(error)
    throw reason === undefined ? error : unwritable(path, reason, error)
  }
}

function unwritable(path: string, why: string, cause?: unknown): EntireError {
  return new EntireError('write-failed', `The session log could not be written to ${path}: ${why}.`, {
    hint: 'The previous log, if there was one, is unchanged. Solve the problem and run the command again.',
    cause,
  })
}

/**
 * For agents that import a log themselves. Undefined when the agent did not take it: its file has to be
 * written then.
 */
export async function deliverToAgent(
  { env, clock }: Pick<Recorder, 'env' | 'clock'>,
  agent: Agent,
  log: DeliveredLog,
): Promise<{ backup?: string } | undefined> {
  if (agent.resume?.deliver === undefined) return undefined
  const before = readBytes(log.path)
  if (before?.equals(log.bytes)) return {}
  // A copy rather than a link: the agent may write into the file.
  const backup =
    before && backUp(log.path, clock(), (name) => copyFileSync(log.path, name, constants.COPYFILE_EXCL))
  const isTaken = await agent.resume.deliver(log, env)
  if (!isTaken) {
    // The agent may have written something else over the log.
    if (backup !== undefined) renameSync(backup, log.path)
    else if (fileSize(log.path) !== undefined) removeFile(log.path)
    return undefined
  }
  const isLost =
    before !== undefined && readBytes(log.path)?.subarray(0, before.length).equals(before) !== true
  if (backup !== undefined && !isLost) removeFile(backup)
  return isLost && backup !== undefined ? { backup } : {}
}

export type LocalContext = Pick<Recorder, 'repo' | 'env' | 'home'>

/** True when an id is safe as a file name, and in a command that people paste into a shell. */
export function isPlainId(id: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,199}$/.test(id) && !id.includes('..')
}

/**
 * Where the log of a session belongs on this machine and in this work tree. Undefined when the agent cannot
 * be given sessions, or the path would be outside its directory: stored data comes from other machines and is
 * not trusted.
 */
export async function findLogPath(
  context: LocalContext,
  agent: Agent,
  session: string,
  origin: LogOrigin = {},
): Promise<string | undefined> {
  if (agent.resume === undefined || !isPlainId(session)) return undefined
  const recorded = recordedPath(context, agent, session)
  const dir =
    recorded === undefined
      ? resolve(await agent.resume.sessionDir(context.repo.root, context.env))
      : dirname(recorded)
  const file = await agent.resume.sessionFile(
    dir,
    session,
    recorded === undefined ? origin : { ...origin, name: basename(recorded) },
  )
  const path = resolve(file)
  if (!path.startsWith(dir + sep) || isBehindLink(context.repo.root, path)) return undefined
  await agent.resume.mirror?.(session, path, { root: context.repo.root, env: context.env })
  return path
}

// A clone may contain links; what an agent keeps outside of the work tree is the user's own.
function isBehindLink(root: string, path: string): boolean {
  return path.startsWith(join(root, sep)) && findLink(root, relative(root, path)) !== undefined
}

/** Where hooks of this work tree saw the log. It depends on the directory in which the agent was started. */
function recordedPath({ repo, home }: LocalContext, agent: Agent, session: string): string | undefined {
  const state = readSession(repo, session)
  const path = state?.transcriptPath
  if (
    path === undefined ||
    state?.worktreePath !== repo.root ||
    state.agentType !== agent.type ||
    !isAbsolute(path)
  )
    return undefined
  // The repository, states included, may come from another home directory.
  return path.startsWith(join(home, sep)) || exists(dirname(path)) ? resolve(path) : undefined
}
