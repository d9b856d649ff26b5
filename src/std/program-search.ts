// Decides which programs on the PATH may be run without the user having typed their path.

import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, relative, sep } from 'node:path'
import type { Environment } from './environment.ts'
import { findStat } from './file.ts'

/**
 * The directories of the PATH. Relative entries are left out, because they mean another directory everywhere.
 */
export function searchPath(env: Environment): string[] {
  return [...new Set((env.PATH ?? '').split(delimiter).filter(isAbsolute))]
}

/** Why a program on the PATH is not run: its author may be someone the user does not trust. */
export function whyUntrusted(path: string, worktree: string | undefined): string | undefined {
  const file = realpathSync(path)
  if (worktree !== undefined && [path, file].some((location) => isInside(location, worktree)))
    return 'it is in the work tree'
  if (isWorldWritable(file)) return 'any user can write to it'
  return [dirname(path), dirname(file)].some(isWorldWritable)
    ? 'any user can write to its directory'
    : undefined
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return findStat(path)?.isFile() === true
  } catch {
    return false
  }
}

/** True for the directory itself, too. */
export function isInside(path: string, dir: string): boolean {
  const route = relative(dir, path)
  return route !== '..' && !route.startsWith(`..${sep}`) && !isAbsolute(route)
}

function isWorldWritable(path: string): boolean {
  return ((findStat(path)?.mode ?? 0) & 0o002) !== 0
}
