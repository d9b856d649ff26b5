// Removes the temporary files that killed processes left beside a file they were writing.

import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { removeFile } from './file.ts'
import { isAlive } from './lock.ts'

/** Finds files that `writeAtomic` named after this one. */
export function removeAbandonedCopies(path: string): void {
  const name = basename(path)
  for (const entry of list(dirname(path)))
    if (abandonedCopyOf(entry) === name) removeFile(join(dirname(path), entry))
}

/** The name of the file that a process which is gone was writing; undefined for any other file. */
export function abandonedCopyOf(entry: string): string | undefined {
  const [, name, pid] = /^(.+)\.([1-9]\d*)\.tmp$/.exec(entry) ?? []
  return isAlive(Number(pid)) ? undefined : name
}

function list(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}
