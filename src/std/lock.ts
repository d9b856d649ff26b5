// A lock between processes: a file that names its owner. An owner that died, or a file nobody could have written, is taken over.

import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { EntireError, isErrno } from './errors.ts'
import { inDirectory, readText, removeFile } from './file.ts'

// No save takes longer. It is also all we can know of an owner on another machine or in another container.
const staleAfterMs = 600_000
// Between creating a lock and writing its owner there is one system call.
const unnamedAfterMs = 5_000

export interface Lock {
  [Symbol.dispose](): void
}

export async function takeLock(path: string, options: { waitMs: number }): Promise<Lock> {
  const deadline = performance.now() + options.waitMs
  for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
    if (tryCreate(path)) return { [Symbol.dispose]: () => release(path) }
    if (isStale(path) && takeAway(path)) continue
    if (performance.now() > deadline)
      throw new EntireError('busy', `Another process holds ${path}.`, {
        hint: 'It is released when that process ends; run the command again.',
      })
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

// Process numbers mean nothing on another host, and a container is one.
function ownName(): string {
  return `${process.pid} ${hostname()}\n`
}

function tryCreate(path: string): boolean {
  try {
    const fd = inDirectory(dirname(path), 0o750, () => openSync(path, 'wx', 0o600))
    try {
      writeSync(fd, ownName())
    } catch (error) {
      // A full disk: a lock without a name would keep the next event waiting.
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

// A lock held for so long that others took it over is not ours to remove.
function release(path: string): void {
  if (readText(path) === ownName()) removeFile(path)
}

/** Whether its owner is gone, so that the next one to need the lock takes it. */
export function isStale(path: string): boolean {
  try {
    const age = Date.now() - statSync(path).mtimeMs
    const [pid = '', host = ''] = readFileSync(path, 'utf8').trim().split(' ')
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

// Several processes may find the same lock stale, and one of them may own a new one by the time another acts. So only the holder of a
// second lock removes, after a second look; that one is held for a moment, so its age alone shows a crash.
function takeAway(path: string): boolean {
  const guard = `${path}.takeover`
  if (!tryCreate(guard)) {
    if ((ageOf(guard) ?? 0) > unnamedAfterMs) removeFile(guard)
    return false
  }
  try {
    if (isStale(path)) removeFile(path)
    return true
  } finally {
    removeFile(guard)
  }
}

function ageOf(path: string): number | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? undefined : Date.now() - stat.mtimeMs
}
