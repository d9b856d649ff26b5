// Finds the files that a turn changed: those the transcript names, those that are new or gone since the turn
// began, and those edited through a shell.

import { realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { isInfrastructure } from '../checkpoints/layout.ts'
import { changedAt, fileSignature } from '../checkpoints/snapshot.ts'
import type { Repo } from '../git/repo.ts'
import type { Status } from '../git/status.ts'
import type { TurnStartState } from './turn-start-state.ts'

// File times come from a coarser clock and may be a few milliseconds behind.
const clockSlackMs = 20

export function findTouched(
  repo: Repo,
  status: Status,
  before: TurnStartState | undefined,
  transcriptFiles: string[],
): string[] {
  const changed = new Set([...status.modified, ...status.untracked, ...status.deleted])
  const named = transcriptFiles
    .map((file) => toRepoPath(repo, file))
    .filter((path) => path !== undefined && changed.has(path)) as string[]
  const knownUntracked = new Set(before?.untracked)
  const knownDeleted = new Set(before?.deleted)
  const created = status.untracked.filter((path) => !knownUntracked.has(path))
  const deleted = status.deleted.filter((path) => !knownDeleted.has(path))
  const dirty = before?.dirty
  const edited =
    dirty === undefined
      ? []
      : [...status.modified, ...status.untracked].filter((path) => dirty[path] !== fileSignature(repo, path))
  return [...new Set([...named, ...created, ...deleted, ...edited])]
    .filter((path) => !isInfrastructure(path))
    .sort()
}

/** True when the work tree differs from its state at the start of the turn. Stops at the first difference. */
export function hasChanged(
  repo: Repo,
  status: Status,
  { untracked, deleted, dirty = {} }: TurnStartState,
): boolean {
  const known = new Set([...untracked, ...deleted])
  const isNew = (path: string) => !known.has(path) && !isInfrastructure(path)
  if (status.untracked.some(isNew) || status.deleted.some(isNew)) return true
  return status.modified.some((path) => !isInfrastructure(path) && dirty[path] !== fileSignature(repo, path))
}

/** Files of the session that were untracked when the turn began and are gone: git does not list them. */
export function findRemoved(
  repo: Repo,
  status: Status,
  before: TurnStartState | undefined,
  own: string[],
): string[] {
  const untracked = new Set(before?.untracked)
  const deleted = new Set(status.deleted)
  return own.filter(
    (path) => untracked.has(path) && !deleted.has(path) && changedAt(repo, path) === undefined,
  )
}

/** How the work tree differs from HEAD now, to compare with later. */
export function captureChanges(
  repo: Repo,
  status: Status,
): Pick<TurnStartState, 'untracked' | 'deleted' | 'dirty'> {
  const own = (paths: string[]) => paths.filter((path) => !isInfrastructure(path))
  const untracked = own(status.untracked)
  const dirty = Object.fromEntries(
    [...own(status.modified), ...untracked].map((path) => [path, fileSignature(repo, path)]),
  )
  return { untracked, deleted: own(status.deleted), dirty }
}

export function isNewer(repo: Repo, path: string, than: number): boolean {
  const at = changedAt(repo, path)
  return at !== undefined && at >= than - clockSlackMs
}

/**
 * The path as git names it; undefined outside the work tree. Transcripts may name files through symbolic
 * links.
 */
export function toRepoPath(repo: Repo, file: string): string | undefined {
  const absolute = isAbsolute(file) ? file : resolve(repo.root, file)
  return pathBelow(repo.root, absolute) ?? pathBelow(repo.root, realPath(absolute))
}

function pathBelow(root: string, file: string): string | undefined {
  const path = relative(root, file)
  return path === '' || path === '..' || path.startsWith('../') || isAbsolute(path) ? undefined : path
}

// Resolves only the directory: the file may be deleted, or be a link that git records as one.
function realPath(path: string): string {
  const dir = dirname(path)
  if (dir === path) return path
  try {
    return join(realpathSync(dir), path.slice(dir.length))
  } catch {
    return join(realPath(dir), path.slice(dir.length))
  }
}
