// Where programs that run extensions tell how these are, so that somebody in another terminal can look: a file for each program.

import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isErrno } from '../std/errors.ts'
import { readText, removeFile, writeAtomic } from '../std/file.ts'
import { asObject, parseJson } from '../std/json.ts'
import type { ExtensionHost } from './extension-host.ts'
import type { WireTap } from './flight-recorder/recording.ts'

export interface StatusRow {
  name: string
  version: string
  state: string
  /** Why it does not run. */
  reason: string
  restarts: number
  /** When it came into this state. */
  since: string
  pid: number | null
  /** Requests to it, and of it, that are not answered yet. */
  waiting: number
  serving: number
  /** What it has not read yet. */
  outboxBytes: number
  /** Messages since the program began. */
  heard: number
  said: number
}

export interface StatusBoard {
  /** Of the program. */
  pid: number
  cwd: string
  at: string
  extensions: StatusRow[]
}

const usualMs = 1000

const dirOf = (configDir: string) => join(configDir, 'run')

/** Keeps it up to date until it is closed. What cannot be written is not worth an error. */
export function publishBoard(
  configDir: string,
  read: () => StatusBoard,
  everyMs = usualMs,
): { close(): void } {
  const path = join(dirOf(configDir), `${process.pid}.json`)
  const write = () => {
    try {
      mkdirSync(dirOf(configDir), { recursive: true, mode: 0o700 })
      writeAtomic(path, JSON.stringify(read()))
    } catch {
      // Nobody can look, that is all.
    }
  }
  write()
  const timer = setInterval(write, everyMs)
  timer.unref?.()
  return {
    close() {
      clearInterval(timer)
      removeFile(path)
    },
  }
}

/** Of programs that still run; what others left behind is removed. */
export function readBoards(configDir: string): StatusBoard[] {
  return filesIn(dirOf(configDir)).flatMap((path) => {
    const board = asObject(parseJson(readText(path) ?? '')) as StatusBoard | undefined
    if (board && isAlive(board.pid)) return [board]
    removeFile(path)
    return []
  })
}

function filesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => /^\d+\.json$/.test(name))
      .sort()
      .map((name) => join(dir, name))
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return isErrno(error, 'EPERM')
  }
}

// Counts what goes back and forth, and makes the board that shows it.

export function countTraffic() {
  const counts = new Map<string, { heard: number; said: number }>()
  const of = (extension: string) => counts.get(extension) ?? { heard: 0, said: 0 }
  const tap: WireTap = (extension, direction) => {
    const { heard, said } = of(extension)
    counts.set(extension, direction === 'in' ? { heard, said: said + 1 } : { heard: heard + 1, said })
  }
  const board = (host: ExtensionHost, cwd: string, at: Date): StatusBoard => ({
    pid: process.pid,
    cwd,
    at: at.toISOString(),
    extensions: host.list().map(({ manifest: { name, version }, status }) => {
      const live = host.find(name)
      const { waiting, serving, outboxBytes } = live?.load() ?? { waiting: 0, serving: 0, outboxBytes: 0 }
      const { state = 'stopped', reason = '', restarts = 0, since = at } = status ?? {}
      return {
        name,
        version,
        state,
        reason,
        restarts,
        since: since.toISOString(),
        pid: live?.pid ?? null,
        waiting,
        serving,
        outboxBytes,
        ...of(name),
      }
    }),
  })
  return { tap, board }
}
