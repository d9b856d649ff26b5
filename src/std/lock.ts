// Takes a lock between processes: a file that names its owner. The lock of a process that died is taken over.

import { appendFileSync, closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { EntireError, isErrno } from './errors.ts'
import { inDirectory, readText, removeFile } from './file.ts'

// No save takes longer. Age is also the only sign of an owner that died on another machine or in another
// container.
const staleAfterMs = 600_000
// Only one system call lies between creating a lock and writing its owner.
const unnamedAfterMs = 5_000

export interface Lock {
  [Symbol.dispose](): void
}

export async function takeLock(path: string, options: { waitMs: number }): Promise<Lock> {
  const deadline = performance.now() + options.waitMs
  for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
    if (tryCreate(path)) {
      held.add(path)
      return { [Symbol.dispose]: () => release(path) }
    }
    if (isStale(path) && removeStale(path)) continue
    if (performance.now() > deadline)
      throw new EntireError('busy', `Another process holds ${path}.`, {
        hint: 'It is released when that process ends; run the command again.',
      })
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

const held = new Set<string>()

/**
 * Adds a line to every lock that this process holds. If the process dies, the next owner finds the lines in
 * the file that `heirloom` names.
 */
export function noteInHeldLocks(line: string): void {
  for (const path of held)
    try {
      appendFileSync(path, `${line}\n`)
    } catch {
      // The lock is gone with its directory, or the disk is full: git has to start all the same.
    }
}

/** Where the lines of owners that died are kept, for the next owner. */
export function heirloom(path: string): string {
  return `${path}.orphans`
}

// Process ids mean nothing on another host, and a container is another host.
function ownName(): string {
  return `${process.pid} ${hostname()}\n`
}

function tryCreate(path: string): boolean {
  try {
    const fd = inDirectory(dirname(path), 0o750, () => openSync(path, 'wx', 0o600))
    try {
      writeSync(fd, ownName())
    } catch (error) {
      // The disk is full: a lock without an owner would keep the next event waiting.
      removeFile(path)
      throw error
    } finally {
      closeSync(fd)
    }
    return true
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false
    throw error
  }
}

// A lock that was held so long that another process took it over is not removed.
function release(path: string): void {
  held.delete(path)
  if (readText(path)?.startsWith(ownName())) removeFile(path)
}

/** True when the owner of the lock is gone, so that the next process takes it over. */
export function isStale(path: string): boolean {
  try {
    const age = Date.now() - statSync(path).mtimeMs
    const [pid = '', host = ''] = (readFileSync(path, 'utf8').split('\n')[0] ?? '').split(' ')
    if (!/^[1-9]\d*$/.test(pid)) return age > unnamedAfterMs
    return age > staleAfterMs || (host === hostname() && !isAlive(Number(pid)))
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return false
    throw error
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isErrno(error, 'EPERM')
  }
}

// Several processes may find the same lock stale, and one of them may hold a new one by the time another
// acts. So the lock is removed only under a second lock, after a second look. That one is held for a moment,
// so its age alone shows a crash.
function removeStale(path: string): boolean {
  const guard = `${path}.takeover`
  if (!tryCreate(guard)) {
    if ((ageOf(guard) ?? 0) > unnamedAfterMs) removeFile(guard)
    return false
  }
  try {
    if (isStale(path)) {
      const lines = readText(path)?.split('\n').slice(1).join('\n') ?? ''
      if (lines !== '') appendFileSync(heirloom(path), lines, { mode: 0o600 })
      removeFile(path)
    }
    return true
  } finally {
    removeFile(guard)
  }
}

function ageOf(path: string): number | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? undefined : Date.now() - stat.mtimeMs
}
