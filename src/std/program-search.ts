// Programs on the PATH that we run without the person having typed their path: only those that nobody else can have put there.
import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, relative, sep } from 'node:path'
import { findStat } from './file.ts'

/** A relative entry means another directory in every place: what lies around there was not put on the PATH by anybody. */
export function searchPath(env: Record<string, string | undefined>): string[] {
  return [...new Set((env.PATH ?? '').split(delimiter).filter(isAbsolute))]
}

/** Why a program that is on the PATH is not run: its author need not be anybody the person trusts. */
export function whyUntrusted(path: string, workTree: string | undefined): string | undefined {
  const file = realpathSync(path)
  if (workTree !== undefined && [path, file].some((place) => isInside(place, workTree)))
    return 'it lies in the work tree'
  if (isOpen(file)) return 'everybody can write to it'
  return [dirname(path), dirname(file)].some(isOpen) ? 'everybody can write to its directory' : undefined
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return findStat(path)?.isFile() === true
  } catch {
    return false
  }
}

/** The directory itself counts. */
export function isInside(path: string, dir: string): boolean {
  const way = relative(dir, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function isOpen(path: string): boolean {
  return ((findStat(path)?.mode ?? 0) & 0o002) !== 0
}
