// Holds what piglet's tools share: the project, the settings, the undo store, and which files the model has
// seen.

import { createHash } from 'node:crypto'
import { readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { RpcFailure, rpcErrorCodes } from '../../protocol/extension/rpc.ts'
import type { Environment } from '../../std/environment.ts'
import { isErrno } from '../../std/errors.ts'
import { exists, fileSize, findStat, readBytes, readText, writeAtomic } from '../../std/file.ts'
import { isInside } from '../../std/program-search.ts'
import type { PigletConfig } from '../settings/config.ts'
import { ToolFailure } from './define-tool.ts'

export interface ToolContext {
  cwd: string
  env: Environment
  config(): PigletConfig
  undo: Undo
  /** Modification times of the files that the model has seen, as of then. */
  seen: Map<string, number>
  /** Publishes the last line of a running program. */
  tail(callId: string, line: string): void
}

export function resolvePath({ cwd, env }: ToolContext, path: string): string {
  if (path === '') throw new ToolFailure('INVALID_ARGS', 'path must not be empty')
  const home = env.HOME ?? homedir()
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1))
  return isAbsolute(path) ? resolve(path) : resolve(cwd, path)
}

/** The file that a change writes to: the target of a link, so that the link stays. */
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

/** Refuses a file that has changed since the model saw it. */
export function requireFresh({ seen }: ToolContext, path: string): void {
  const [known, now] = [seen.get(path), findStat(path)?.mtimeMs]
  if (known !== undefined && now !== undefined && now > known)
    throw new ToolFailure('FILE_STALE', `${path} was changed since it was read`, 'read it again first')
}

/** Larger files are not kept. */
const maxBytes = 10_000_000

/**
 * All projects keep their files in one directory. With a project given, only files inside it, and files kept
 * by this process, are listed and restored.
 */
export class Undo {
  readonly #dir: string
  readonly #project: string | undefined
  readonly #keptHere = new Set<string>()

  constructor(configDir: string, project?: string) {
    this.#dir = join(configDir, 'undo')
    this.#project = project
  }

  /** Called before a change. There is nothing to keep of a file that does not exist yet. */
  keep(path: string): void {
    const size = fileSize(path)
    if (size === undefined || size > maxBytes) return
    this.#keptHere.add(path)
    const base = this.#baseOf(path)
    writeAtomic(`${base}.snap`, readBytes(path) ?? Buffer.alloc(0), { mode: 0o600 })
    writeAtomic(`${base}.path`, path, { mode: 0o600 })
  }

  /** The kept files by path, with their sizes in bytes. */
  list(): Record<string, number> {
    const found = namesIn(this.#dir).flatMap((name) => {
      const path = name.endsWith('.path') ? readText(join(this.#dir, name)) : undefined
      const size = path === undefined ? undefined : fileSize(join(this.#dir, name.replace(/path$/, 'snap')))
      return path === undefined || size === undefined || !this.#isVisible(path) ? [] : [[path, size] as const]
    })
    return Object.fromEntries(found)
  }

  restore(path: string): void {
    const base = this.#baseOf(path)
    const isKept = this.#isVisible(path) && readText(`${base}.path`) === path
    const bytes = isKept ? readBytes(`${base}.snap`) : undefined
    if (bytes === undefined) throw new RpcFailure(rpcErrorCodes.notFound, `no snapshot for path: ${path}`)
    writeAtomic(path, bytes, { mode: (findStat(path)?.mode ?? 0o644) & 0o777, dirMode: 0o755 })
  }

  #baseOf(path: string): string {
    return join(this.#dir, createHash('sha256').update(path).digest('hex').slice(0, 32))
  }

  #isVisible(path: string): boolean {
    if (this.#project === undefined || this.#keptHere.has(path)) return true
    return isInside(path, exists(this.#project) ? realpathSync(this.#project) : this.#project)
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
}
