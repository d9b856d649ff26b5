// Publishes the state of running extensions in a file for each hosting program, which `piglet ext top` reads.

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
  /** The time since which it is in this state. */
  since: string
  pid: number | null
  /** Requests to it, and requests from it, that are not answered yet. */
  waiting: number
  serving: number
  /** Bytes it has not read yet. */
  outboxBytes: number
  /** Messages since the program started. */
  heard: number
  said: number
}

export interface StatusBoard {
  /** Process id of the hosting program. */
  pid: number
  cwd: string
  at: string
  extensions: StatusRow[]
}

const refreshMs = 1000

const boardsDir = (configDir: string) => join(configDir, 'run')

/** Keeps the file up to date until it is closed. A failure to write it is ignored. */
export function publishBoard(
  configDir: string,
  read: () => StatusBoard,
  everyMs = refreshMs,
): { close(): void } {
  const path = join(boardsDir(configDir), `${process.pid}.json`)
  const write = () => {
    try {
      mkdirSync(boardsDir(configDir), { recursive: true, mode: 0o700 })
      writeAtomic(path, JSON.stringify(read()))
    } catch {}
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

/** The boards of running programs. Files left behind by others are removed. */
export function readBoards(configDir: string): StatusBoard[] {
  return filesIn(boardsDir(configDir)).flatMap((path) => {
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

/** Counts the messages of each extension, and makes the board that shows them. */
export function countTraffic() {
  const counts = new Map<string, { heard: number; said: number }>()
  const countsOf = (extension: string) => counts.get(extension) ?? { heard: 0, said: 0 }
  const tap: WireTap = (extension, direction) => {
    const { heard, said } = countsOf(extension)
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
        ...countsOf(name),
      }
    }),
  })
  return { tap, board }
}
