// Keeps the content that files had before a tool changed them, one generation of each, and restores it.

import { createHash } from 'node:crypto'
import { readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { RpcFailure, rpcErrorCodes } from '../../protocol/extension/rpc.ts'
import { isErrno } from '../../std/errors.ts'
import { exists, fileSize, findStat, readBytes, readText, writeAtomic } from '../../std/file.ts'
import { isInside } from '../../std/program-search.ts'

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
