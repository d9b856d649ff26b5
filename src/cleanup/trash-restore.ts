// The way back from the trash.

import { openObjectReader } from '../git/cat-file.ts'
import { readCommit } from '../git/commit.ts'
import { listRefs, moveRefs, type RefTip } from '../git/refs.ts'
import { keptRefDays, trashPrefix } from '../sessions/kept-refs.ts'
import { readLive, updateLive, writeLive } from '../sessions/live-index.ts'
import { listSessions, sessionsDir } from '../sessions/store.ts'
import type { Recorder } from '../sessions/work.ts'
import { listWorktrees, lockWorktrees, worktreeOf } from '../sessions/work-trees.ts'
import { EntireError } from '../std/errors.ts'
import { exists, writeAtomic } from '../std/file.ts'
import { asArray, asObject, asString, parseJson } from '../std/json.ts'
import type { TrashRecord } from './trash.ts'

export interface TrashRestored {
  by: string
  restored: string[]
  /** Something new is in its place; the trash keeps what was there. */
  inTheWay: string[]
}

/** Puts back what was thrown away last. Never over something that is there. */
export async function restoreLast(recorder: Recorder): Promise<TrashRestored> {
  const { repo } = recorder
  using _lock = await lockWorktrees(listWorktrees(repo))
  const last = (await listTrash(recorder)).at(-1)
  const record = last && parseRecord((await readCommit(repo, last.oid))?.message ?? '')
  if (last === undefined || record === undefined)
    throw new EntireError('not-found', 'Nothing was thrown away, or it has been brought back already.', {
      hint: `What clean, reset and doctor remove is kept for ${keptRefDays} days.`,
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

// Names begin with the time, so the newest comes last.
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

// Commits look only at the sessions that the index of their work tree names.
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
