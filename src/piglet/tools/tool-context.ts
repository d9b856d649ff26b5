// Holds what piglet's tools share: the project, the settings, the undo store, and which files the model has
// seen.

import { readlinkSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Environment } from '../../extensions/launch.ts'
import { exists, findStat } from '../../std/file.ts'
import type { PigletConfig } from '../settings/config.ts'
import { ToolFailure } from './define-tool.ts'
import type { Undo } from './undo.ts'

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
