// Makes the temporary directory of a test run, in memory where there is room: tests write thousands of small
// files, and git waits for the disk after many of them.
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

// Process ids mean nothing in another namespace, as of a container that shares the memory.
const prefix = `entire-tests-${findNamespace()}-`
// The type of tmpfs. https://man7.org/linux/man-pages/man2/statfs.2.html
const tmpfs = 0x01021994
const bytesNeeded = 2 ** 30

/**
 * Names the directory after the process that owns the run, and removes the directories of runs whose process
 * is gone. A second call for the same process returns the same directory.
 */
export function makeRunDirectory(owner: number): string {
  const parent = findMemory() ?? tmpdir()
  for (const name of readdirSync(parent)) {
    const other = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN
    if (other > 0 && !isAlive(other)) rmSync(join(parent, name), { recursive: true, force: true })
  }
  const path = join(parent, `${prefix}${owner}`)
  mkdirSync(path, { recursive: true })
  return path
}

// https://man7.org/linux/man-pages/man7/pid_namespaces.7.html
function findNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')
  } catch {
    return 'here'
  }
}

function findMemory(): string | undefined {
  return ['/dev/shm', process.env.XDG_RUNTIME_DIR ?? ''].find(isUsable)
}

function isUsable(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK)
    const { type, bavail, bsize } = statfsSync(dir)
    const isRoomy = bavail * bsize >= bytesNeeded && freemem() >= bytesNeeded
    return type === tmpfs && isRoomy && canExecute(dir)
  } catch {
    return false
  }
}

// Containers often mount memory with `noexec`, where the scripts of tests would not run.
function canExecute(dir: string): boolean {
  const script = join(dir, `${prefix}probe-${process.pid}`)
  try {
    writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 })
    return Bun.spawnSync([script]).exitCode === 0
  } finally {
    rmSync(script, { force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user cannot be signalled.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
