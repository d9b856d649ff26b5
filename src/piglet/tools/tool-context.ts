// What the tools of the program share: where they work, what they have read, and what they keep of what they change.

import { createHash } from 'node:crypto'
import { readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Environment } from '../../extensions/launch.ts'
import { codes, RpcFailure } from '../../protocol/extension/peer.ts'
import { isErrno } from '../../std/errors.ts'
import { exists, fileSize, findStat, readBytes, readText, writeAtomic } from '../../std/file.ts'
import { isInside } from '../../std/program-search.ts'
import type { Config } from '../settings/config.ts'
import { ToolFailure } from './tool-failure.ts'

export interface ToolContext {
  cwd: string
  env: Environment
  config(): Config
  undo: Undo
  /** When the model last saw a file: when that file was last changed then. */
  seen: Map<string, number>
  /** The last line of a program that is running. */
  tail(callId: string, line: string): void
}

export function resolvePath({ cwd, env }: ToolContext, path: string): string {
  if (path === '') throw new ToolFailure('INVALID_ARGS', 'path must not be empty')
  const home = env.HOME ?? homedir()
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1))
  return isAbsolute(path) ? resolve(path) : resolve(cwd, path)
}

/** Where a file is that may be changed: a link stays one, and what it points to is changed. */
export function targetPath(context: ToolContext, path: string): string {
  const named = resolvePath(context, path)
  if (exists(named)) return realpathSync(named)
  try {
    return resolve(named, '..', readlinkSync(named))
  } catch {
    return named
  }
}

export function requireRegular(path: string, maxBytes: number): void {
  const stat = findStat(path)
  if (!stat) throw new ToolFailure('FILE_NOT_FOUND', `${path} does not exist`, 'look for it with find or ls')
  if (!stat.isFile()) throw new ToolFailure('NOT_REGULAR_FILE', `${path} is not a regular file`)
  if (stat.size > maxBytes)
    throw new ToolFailure('FILE_TOO_LARGE', `${path} has ${stat.size} bytes; at most ${maxBytes} are read`)
}

export function noteSeen({ seen }: ToolContext, path: string): void {
  const changed = findStat(path)?.mtimeMs
  if (changed !== undefined) seen.set(path, changed)
}

/** Somebody else may have changed it since. */
export function requireFresh({ seen }: ToolContext, path: string): void {
  const [known, now] = [seen.get(path), findStat(path)?.mtimeMs]
  if (known !== undefined && now !== undefined && now > known)
    throw new ToolFailure('FILE_STALE', `${path} was changed since it was read`, 'read it again first')
}

// What files were before a tool changed them, one generation of each, so that it can be put back.

/** Larger files are not kept. */
const maxBytes = 10_000_000

export type Undo = ReturnType<typeof createUndo>

/** What other projects keep there is not shown, and not put back: only what is in `project`, and what was kept since the start. */
export function createUndo(configDir: string, project?: string) {
  const kept = new Set<string>()
  const isOurs = (path: string) =>
    project === undefined || kept.has(path) || isInside(path, realPath(project))
  const dir = join(configDir, 'undo')
  const placeOf = (path: string) => join(dir, createHash('sha256').update(path).digest('hex').slice(0, 32))
  return {
    /** Before a change. A file that is not there yet has nothing to keep. */
    keep(path: string): void {
      const size = fileSize(path)
      if (size === undefined || size > maxBytes) return
      kept.add(path)
      writeAtomic(`${placeOf(path)}.snap`, readBytes(path) ?? Buffer.alloc(0), { mode: 0o600 })
      writeAtomic(`${placeOf(path)}.path`, path, { mode: 0o600 })
    },
    /** Paths, and how many bytes there are of each. */
    list(): Record<string, number> {
      const found = namesIn(dir).flatMap((name) => {
        const path = name.endsWith('.path') ? readText(join(dir, name)) : undefined
        const size = path === undefined ? undefined : fileSize(join(dir, name.replace(/path$/, 'snap')))
        return path === undefined || size === undefined || !isOurs(path) ? [] : [[path, size] as const]
      })
      return Object.fromEntries(found)
    },
    restore(path: string): void {
      const bytes =
        isOurs(path) && readText(`${placeOf(path)}.path`) === path
          ? readBytes(`${placeOf(path)}.snap`)
          : undefined
      if (bytes === undefined) throw new RpcFailure(codes.notFound, `no snapshot for path: ${path}`)
      writeAtomic(path, bytes, { mode: (findStat(path)?.mode ?? 0o644) & 0o777, dirMode: 0o755 })
    },
  }
}

function realPath(dir: string): string {
  return exists(dir) ? realpathSync(dir) : dir
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
}
