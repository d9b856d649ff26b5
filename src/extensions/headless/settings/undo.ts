// What files were before a tool changed them, one generation of each, so that it can be put back.
import { createHash } from 'node:crypto'
import { readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { codes } from '../../../protocol/extension-line.ts'
import { RpcFailure } from '../../../protocol/extension-peer.ts'
import { isErrno } from '../../../std/errors.ts'
import { exists, fileSize, findStat, readBytes, readText, writeAtomic } from '../../../std/file.ts'
import { isInside } from '../../../std/program-search.ts'

/** Larger files are not kept. */
const maxBytes = 10_000_000

export type Undo = ReturnType<typeof createUndo>

/** What other projects keep there is not shown, and not put back: only what is in `project`, and what was kept since the start. */
export function createUndo(configDir: string, project?: string) {
  const kept = new Set<string>()
  const isOurs = (path: string) => project === undefined || kept.has(path) || isInside(path, realPath(project))
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
      const bytes = isOurs(path) && readText(`${placeOf(path)}.path`) === path ? readBytes(`${placeOf(path)}.snap`) : undefined
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
