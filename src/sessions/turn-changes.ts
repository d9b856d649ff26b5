// Finds the files that a turn changed: those the transcript names, those that are new or gone since the turn
// began, and those edited through a shell.

import { closeSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { isInfrastructure, shadowRef } from '../checkpoints/layout.ts'
import { changedAt, fileSignature } from '../checkpoints/snapshot.ts'
import { turnAfter } from '../checkpoints/step.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import type { Repo } from '../git/repo.ts'
import type { Status } from '../git/status.ts'
import { readTreeEntries } from '../git/tree.ts'
import type { ChangedFile } from '../git/tree-diff.ts'
import type { Session } from '../model/session.ts'
import { fileSize, openRegular, readRange } from '../std/file.ts'
import { given } from '../std/given.ts'
import { asObject, asString, parseJson } from '../std/json.ts'
import { parseTime } from '../std/time.ts'
import { readTurnStart, type TurnStartState } from './turn-start-state.ts'

// File times come from a coarser clock and may be a few milliseconds behind.
export const clockSlackMs = 20

export function findTouched(
  repo: Repo,
  status: Status,
  before: TurnStartState | undefined,
  transcriptFiles: string[],
): string[] {
  const changed = new Set([...status.modified, ...status.untracked, ...status.deleted])
  const named = toRepoPaths(repo, transcriptFiles).filter((path) => changed.has(path))
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

/** A turn that is running when a commit is made. */
export interface RunningTurn {
  repo: Repo
  objects: ObjectReader
  session: Session
}

/**
 * Of the files of a commit, those that the running turn changed: they differ from the state before it. None when
 * that state is not known any more.
 */
export async function findCommittedByTurn(
  { repo, objects, session }: RunningTurn,
  files: Iterable<ChangedFile>,
): Promise<string[]> {
  const start = readTurnStart(repo, session.id)
  const turn = { id: session.turnId, at: start?.at ?? 0, ...given({ before: start?.before }) }
  const before = start && (await findStateBefore(objects, session, turn))
  if (before === undefined) return []
  const isOld = (path: string) => {
    const signature = start?.dirty?.[path]
    return signature !== undefined && signature === fileSignature(repo, path)
  }
  const suspects = [...files].filter(({ path }) => !isInfrastructure(path) && !isOld(path))
  const paths = suspects.map(({ path }) => path)
  const entries = await readTreeEntries(objects, before, paths)
  return suspects.flatMap(({ path, after }) => (entries.get(path)?.oid === after ? [] : path))
}

/** A commit whose tree is the state before a turn of the session. */
export async function findStateBefore(
  objects: ObjectReader,
  { baseCommit, worktreeId }: Session,
  { id, at, before }: { id: string | undefined } & Pick<TurnStartState, 'at' | 'before'>,
): Promise<Oid | undefined> {
  if (before !== undefined) return (await objects.info(before))?.oid
  for (let name: string | undefined = shadowRef(baseCommit, worktreeId); name !== undefined; ) {
    const step = await objects.contents(name)
    const text = step?.content.toString('utf8') ?? ''
    const [, seconds] = /^committer .* (\d+) \+0000$/m.exec(text) ?? []
    if (step === undefined || seconds === undefined || Number(seconds) < Math.floor(at / 1000))
      return undefined
    if (turnAfter(text) === id) return step.oid
    name = /^parent (\w+)$/m.exec(text)?.[1]
  }
  return undefined
}

/**
 * How many bytes of the running turn's log were there when a commit was made: up to the line that shows its id, and
 * nothing that was said after its second. Undefined when that cannot be told.
 */
export function findLogBefore(
  { repo, session }: Omit<RunningTurn, 'objects'>,
  { oid, committedAt }: { oid: Oid; committedAt: number },
): number | undefined {
  const { transcriptPath, cursor } = session
  const size = transcriptPath === undefined ? undefined : fileSize(transcriptPath)
  const from = Math.max(readTurnStart(repo, session.id)?.bytes ?? 0, cursor?.bytes ?? 0)
  if (transcriptPath === undefined || size === undefined || cursor?.behind !== undefined) return undefined
  if (size <= from || size - from > maxSearchedBytes) return undefined
  const fd = openRegular(transcriptPath)
  try {
    const text = readRange(fd, from, size - from)
    for (let at = 0; at < text.length; ) {
      const newline = text.indexOf(10, at)
      const end = newline === -1 ? text.length : newline + 1
      const line = text.toString('utf8', at, end)
      const entry = asObject(parseJson(line))
      if ((parseTime(asString(entry?.timestamp) ?? '')?.getTime() ?? 0) >= (committedAt + 1) * 1000)
        return from + at
      if (entry !== undefined && showsCommit(line, oid)) return from + end
      at = end
    }
    return undefined
  } finally {
    closeSync(fd)
  }
}

function showsCommit(line: string, oid: Oid): boolean {
  return new RegExp(`(?<![0-9a-f])${oid.slice(0, 7)}`).test(line)
}

// Of a long turn, the end.
const maxSearchedBytes = 8 * 1024 * 1024

/** True when the log of the running turn mentions one of the files, as in a shell command or what it printed. */
export function isMentioned({ repo, session }: Omit<RunningTurn, 'objects'>, paths: string[]): boolean {
  if (paths.length === 0) return false
  const size = session.transcriptPath === undefined ? undefined : fileSize(session.transcriptPath)
  const start = readTurnStart(repo, session.id)?.bytes
  if (session.transcriptPath === undefined || size === undefined || start === undefined) return false
  const from = Math.max(start, size - maxSearchedBytes)
  const fd = openRegular(session.transcriptPath)
  try {
    const text = readRange(fd, from, Math.max(0, size - from))
    const names = paths.flatMap((path) => [path, `./${path}`, basename(path), join(repo.root, path)])
    return names.some((name) => hasWord(text, name))
  } finally {
    closeSync(fd)
  }
}

// `a.ts` in `cd src && touch a.ts`, not in `lib/a.ts`.
function hasWord(text: Buffer, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1))
    if (!/[\w./-]/.test(String.fromCharCode(text[at - 1] ?? 0))) return true
  return false
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

export function toRepoPaths(repo: Repo, files: string[]): string[] {
  return files.flatMap((file) => toRepoPath(repo, file) ?? [])
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
