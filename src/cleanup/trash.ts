// Keeps what clean, reset and doctor remove for a while, and restores it. Each removal is a commit on a ref
// of its own, which is never pushed.

import { basename } from 'node:path'
import { openObjectReader } from '../git/cat-file.ts'
import { readCommit } from '../git/commit.ts'
import { listRefs, moveRefs, type RefTip } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import type { Recorder } from '../sessions/event-work.ts'
import type { GitSession } from '../sessions/git-session.ts'
import { keptRefDays, newKeptRef, trashPrefix } from '../sessions/kept-refs.ts'
import { readLive, updateLive, writeLive } from '../sessions/live-index.ts'
import { listSessions, sessionsDir } from '../sessions/store.ts'
import { listWorktrees, lockWorktrees, worktreeOf } from '../sessions/worktrees.ts'
import { EntireError } from '../std/errors.ts'
import { exists, readBytes, removeFile, writeAtomic } from '../std/file.ts'
import { asArray, asObject, asString, parseJson } from '../std/json.ts'

export interface TrashedFile {
  /** Where the file was. */
  path: string
  /** Its path in the trash. */
  name: string
  content: Buffer
}

export interface TrashContent {
  branches: RefTip[]
  files: TrashedFile[]
}

export interface TrashRecord {
  /** The command that removed it. */
  by: string
  branches: RefTip[]
  files: { name: string; path: string }[]
}

/** Undefined when there is no such file. */
export function readForTrash(
  path: string,
  kind: 'sessions' | 'prompts' | 'tmp',
  name = basename(path),
): TrashedFile | undefined {
  const content = readBytes(path)
  return content && { path, name: `${kind}/${name}`, content }
}

/** Adds the commit that keeps the content to the current import. Nothing is removed yet. */
export async function addToTrash(
  { recorder, git }: { recorder: Recorder; git: GitSession },
  by: string,
  { branches, files }: TrashContent,
): Promise<string> {
  const record: TrashRecord = { by, branches, files: files.map(({ name, path }) => ({ name, path })) }
  const ref = newKeptRef(recorder, trashPrefix)
  git.writes().commit({
    ref,
    parent: undefined,
    // Merge parents keep the branches reachable; without a first parent the tree starts empty.
    mergeParents: [...new Set(branches.map(({ oid }) => oid))],
    message: `Removed by entire ${by}\n\n${JSON.stringify(record)}\n`,
    author: (await git.config()).author,
    seconds: Math.floor(recorder.clock().getTime() / 1000),
    changes: files.map(({ name, content }) => ({ path: name, mode: '100644', content })),
  })
  return ref
}

/**
 * Called after the import. Files go first: a branch without its session is found again, a session without its
 * branch is not.
 */
export async function removeTrashed(repo: Repo, { branches, files }: TrashContent): Promise<void> {
  for (const { path, content } of files) if (readBytes(path)?.equals(content)) removeFile(path)
  await moveRefs(
    repo,
    branches.map(({ ref, oid }) => ({ ref, to: undefined, from: oid })),
  )
}

export interface TrashRestored {
  by: string
  restored: string[]
  /** Refs and paths that exist again, and were not overwritten; the trash still has the old ones. */
  inTheWay: string[]
}

/** Restores the last removal, without overwriting anything. */
export async function restoreLast(recorder: Recorder): Promise<TrashRestored> {
  const { repo } = recorder
  using _lock = await lockWorktrees(listWorktrees(repo))
  const last = (await listTrash(recorder)).at(-1)
  const record = last && parseRecord((await readCommit(repo, last.oid))?.message ?? '')
  if (last === undefined || record === undefined)
    throw new EntireError('not-found', 'The trash is empty.', {
      hint: `Items that clean, reset and doctor remove are kept for ${keptRefDays} days.`,
    })
  const taken = new Map((await listRefs(repo, 'refs/heads/entire/')).map(({ ref, oid }) => [ref, oid]))
  const free = record.branches.filter(({ ref }) => !taken.has(ref))
  await moveRefs(
    repo,
    free.map(({ ref, oid }) => ({ ref, to: oid, from: undefined })),
  )
  const files = await restoreFiles(recorder, last, record)
  const branches = record.branches.filter(({ ref, oid }) => taken.get(ref) !== oid)
  const blocked = branches.filter(({ ref }) => taken.has(ref))
  settleLive(recorder, files.restored)
  if (blocked.length + files.inTheWay.length === 0)
    await moveRefs(repo, [{ ref: last.ref, to: undefined, from: last.oid }])
  return {
    by: record.by,
    restored: [...free.map(({ ref }) => ref), ...files.restored],
    inTheWay: [...blocked.map(({ ref }) => ref), ...files.inTheWay],
  }
}

// Names of refs begin with the time, so the newest comes last.
function listTrash({ repo }: Recorder): Promise<RefTip[]> {
  return listRefs(repo, trashPrefix)
}

async function restoreFiles(
  { repo }: Recorder,
  trash: RefTip,
  record: TrashRecord,
): Promise<Omit<TrashRestored, 'by'>> {
  await using objects = openObjectReader(repo)
  const result: Omit<TrashRestored, 'by'> = { restored: [], inTheWay: [] }
  for (const { name, path } of record.files) {
    const content = (await objects.contents(`${trash.oid}:${name}`))?.content
    if (content === undefined) continue
    if (exists(path)) result.inTheWay.push(path)
    else {
      writeAtomic(path, content)
      result.restored.push(path)
    }
  }
  return result
}

// Commit hooks find only sessions that are in the live index of their work tree.
function settleLive({ repo }: Recorder, restored: string[]): void {
  const states = new Set(restored.filter((path) => path.startsWith(sessionsDir(repo))))
  const sessions = listSessions(repo).filter(({ id }) => states.has(`${sessionsDir(repo)}/${id}.json`))
  for (const session of sessions) {
    const place = worktreeOf(repo, session)
    const live = readLive(place)
    updateLive(live, session)
    writeLive(place, live)
  }
}

function parseRecord(message: string): TrashRecord | undefined {
  const record = asObject(parseJson(message.slice(message.indexOf('\n\n') + 2)))
  if (record === undefined) return undefined
  const pairs = (value: unknown, ...keys: string[]) =>
    asArray(value).flatMap((item) => {
      const fields = keys.map((key) => asString(asObject(item)?.[key]))
      return fields.every((field) => field !== undefined) ? [fields as [string, string]] : []
    })
  return {
    by: asString(record.by) ?? '',
    branches: pairs(record.branches, 'ref', 'oid').map(([ref, oid]) => ({ ref, oid })),
    files: pairs(record.files, 'name', 'path').map(([name, path]) => ({ name, path })),
  }
}
