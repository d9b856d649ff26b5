// The way back to a kept state: its files byte for byte, and with them the branch and the index where a reset had moved those.

import { closeSync, copyFileSync, openSync, readdirSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { ObjectReader } from '../git/cat-file.ts'
import { readStaged } from '../git/commit.ts'
import { git } from '../git/exec.ts'
import { blobOid, type Oid } from '../git/oid.ts'
import { moveRefs } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { EntireError, isErrno } from '../std/errors.ts'
import { writePoint } from '../std/fault.ts'
import { exists, readBytes, removeFile } from '../std/file.ts'
import { given } from '../std/given.ts'
import { type Disk, findUnchanged, readTreeEntries } from './disk.ts'
import { type RewindPlan, withoutLosses } from './plan.ts'
import { indexPath, type RefChange, type SafetyStep } from './safety-step.ts'
import { putFiles, type RawFile, type Stage } from './write-files.ts'

/** Where HEAD is. */
export interface Head {
  /** The branch, or `HEAD` where it is detached. */
  ref: string
  oid: Oid
}

/** What stays of a reset when it is undone: nothing, or the branch, because it was moved on since. */
export type HeadRestore = 'moved' | 'there' | 'elsewhere'

export interface StatePlan extends RewindPlan {
  head?: HeadRestore
}

export async function planStateRestore(
  repo: Repo,
  objects: ObjectReader,
  disk: Disk,
  target: SafetyStep,
  head: Head,
): Promise<StatePlan> {
  const [kept, committed] = await Promise.all([
    readTreeEntries(
      objects,
      target.oid,
      target.restore.map(({ path }) => path),
    ),
    readTreeEntries(objects, target.base, target.committed),
  ])
  const unchanged = await findUnchanged(repo, disk, committed)
  const isKept = ({ path, mode }: RawFile) => {
    const place = disk.at(path)
    const isAlike = mode === undefined ? place.kind === 'link' : place.kind === 'file' && place.mode === mode
    const content = isAlike ? disk.read(path) : undefined
    return content !== undefined && blobOid(content, target.oid) === kept.get(path)?.oid
  }
  const files = withoutLosses(disk, {
    restore: [
      ...target.restore.filter((file) => !isKept(file)).map(({ path }) => path),
      ...[...committed.keys()].filter((path) => !unchanged.has(path)),
    ].sort(),
    remove: target.remove.filter((path) => ['file', 'link', 'other'].includes(disk.at(path).kind)),
    skip: [],
  })
  return target.head === undefined ? files : { ...files, head: headBack(target.head, head) }
}

function headBack({ ref, before, after }: RefChange, head: Head): HeadRestore {
  if (head.ref !== ref) return 'elsewhere'
  if (head.oid === before) return 'there'
  return head.oid === after ? 'moved' : 'elsewhere'
}

/** Before anything changes. */
export async function stageState(
  stage: Stage,
  objects: ObjectReader,
  disk: Disk,
  target: SafetyStep,
  plan: StatePlan,
): Promise<void> {
  const wanted = new Set(plan.restore)
  await stage.addRaw(
    objects,
    target.oid,
    target.restore.filter(({ path }) => wanted.has(path)),
  )
  await stage.addCheckedOut(
    disk,
    await readTreeEntries(
      objects,
      target.base,
      target.committed.filter((path) => wanted.has(path)),
    ),
  )
}

export interface StateRestored {
  /** The shadow branch that was moved back. */
  shadow?: string
  /** Set when the index should have come back: false when another process held it. */
  index?: boolean
}

/** Can be done again from the start wherever it stops. */
export async function restoreState(
  repo: Repo,
  objects: ObjectReader,
  {
    target,
    plan,
    stage,
    standing,
  }: { target: SafetyStep; plan: StatePlan; stage: Stage; standing: string | undefined },
): Promise<StateRestored> {
  putFiles({ root: repo.root, stage, restore: plan.restore, remove: plan.remove, cwdInRepo: standing })
  if (plan.head === 'moved' && target.head !== undefined) await moveHead(repo, target.head)
  const index =
    plan.head !== undefined && plan.head !== 'elsewhere' && target.hasIndex
      ? await restoreIndex(repo, objects, target)
      : undefined
  const shadow = target.shadow && (await moveShadow(repo, target.shadow)) ? target.shadow.ref : undefined
  return { ...given({ index }), ...given({ shadow }) }
}

async function restoreIndex(repo: Repo, objects: ObjectReader, target: SafetyStep): Promise<boolean> {
  const kept = await objects.contents(`${target.oid}:${indexPath}`)
  return kept !== undefined && writeIndex(repo, kept.content)
}

// Through HEAD, so that both reflogs tell of it. https://git-scm.com/docs/git-update-ref
async function moveHead(repo: Repo, { before, after }: RefChange): Promise<void> {
  writePoint()
  await git(repo, ['update-ref', '-m', 'entire rewind: undo', 'HEAD', before, after])
  writePoint()
}

/** False when it has gone on since. */
async function moveShadow(repo: Repo, { ref, before, after }: RefChange): Promise<boolean> {
  if (before === after) return false
  try {
    await moveRefs(repo, [{ ref, from: after, to: before }])
    return true
  } catch (error) {
    if (error instanceof EntireError && error.code === 'ref-moved') return false
    throw error
  }
}

// The user's index, kept whole before a reset and given back by its undo: what was staged exists nowhere else.

export interface SavedIndex {
  /** The file, as git wrote it. */
  index?: Buffer
  /** Content that only the index holds. */
  staged: Oid[]
}

export async function readIndex(repo: Repo): Promise<SavedIndex> {
  const path = join(repo.gitDir, 'index')
  if (!exists(path)) return { staged: [] }
  const [changes, conflicts, content] = await Promise.all([
    readStaged(repo),
    readConflicts(repo),
    readWhole(repo, path),
  ])
  const staged = [...changes.flatMap(({ after }) => after ?? []), ...conflicts]
  return { staged, ...given({ index: content }) }
}

/** False when another git process is changing it. */
export function writeIndex(repo: Repo, content: Buffer): boolean {
  const lock = join(repo.gitDir, 'index.lock')
  let fd: number
  writePoint()
  try {
    // As git does it: whoever creates this file may write. https://git-scm.com/docs/api-lockfile
    fd = openSync(lock, 'wx')
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false
    throw error
  }
  try {
    for (let at = 0; at < content.length; ) at += writeSync(fd, content, at)
    renameSync(lock, join(repo.gitDir, 'index'))
  } catch (error) {
    removeFile(lock)
    throw error
  } finally {
    closeSync(fd)
  }
  writePoint()
  return true
}

// An index may be split over two files; one of them alone says little. https://git-scm.com/docs/git-update-index#_split_index
async function readWhole(repo: Repo, path: string): Promise<Buffer | undefined> {
  if (!readdirSync(repo.gitDir).some((name) => name.startsWith('sharedindex.'))) return readBytes(path)
  const copy = join(repo.gitDir, `entire-index.${process.pid}.tmp`)
  try {
    copyFileSync(path, copy)
    await git(repo, ['update-index', '--no-split-index'], { env: { GIT_INDEX_FILE: copy } })
    return readBytes(copy)
  } finally {
    removeFile(copy)
  }
}

async function readConflicts(repo: Repo): Promise<Oid[]> {
  const { stdout } = await git(repo, ['ls-files', '--unmerged', '-z'])
  return stdout
    .toString('latin1')
    .split('\0')
    .flatMap((line) => line.split(/[ \t]/)[1] ?? [])
}
