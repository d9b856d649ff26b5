// Restores the state that a safety step saved: its files byte for byte, its shadow branch, and after a reset
// the branch and the index.

import type { ObjectReader } from '../git/cat-file.ts'
import { git as runGit } from '../git/exec.ts'
import { blobOid, type Oid } from '../git/oid.ts'
import { moveRefs } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { readStatus, type Status } from '../git/status.ts'
import { EntireError } from '../std/errors.ts'
import { given } from '../std/given.ts'
import { writePoint } from '../std/kill-point.ts'
import { findUnchanged, isFileLike, lookAtDisk, readTreeEntries } from './disk.ts'
import type { LockedWorktree } from './locked-worktree.ts'
import { type RewindPlan, withoutLosses } from './plan.ts'
import { indexPath, type RefChange, type SafetyStep } from './safety-step.ts'
import { writeIndex } from './saved-index.ts'
import { openStage, putFiles, type RawFile, type Stage } from './write-files.ts'

/** Restores the safety step when the change fails half way. */
export async function rollBackOnFailure(
  worktree: LockedWorktree,
  safety: SafetyStep,
  change: () => Promise<void>,
): Promise<void> {
  try {
    await change()
  } catch (error) {
    const { repo } = worktree.recorder
    const changed = { ...worktree, disk: lookAtDisk(repo.root) }
    const plan = await planStateRestore(changed, safety, headOf(await readStatus(repo)))
    using stage = openStage(repo)
    await stageState(changed, stage, safety, plan)
    await restoreState(changed, { target: safety, plan, stage, cwdInRepo: undefined })
    throw error
  }
}

/** Where HEAD is. */
export interface Head {
  /** The branch, or `HEAD` where it is detached. */
  ref: string
  oid: Oid
}

export function headOf({ branch, head }: Status): Head {
  return { ref: branch === undefined ? 'HEAD' : `refs/heads/${branch}`, oid: head ?? '' }
}

/**
 * What happens to HEAD: it moves, is in its place already, or has been moved elsewhere since and is left
 * alone.
 */
export type HeadRestore = 'moved' | 'there' | 'elsewhere'

export interface StatePlan extends RewindPlan {
  head?: HeadRestore
}

export async function planStateRestore(
  { recorder, git, disk }: LockedWorktree,
  target: SafetyStep,
  head: Head,
): Promise<StatePlan> {
  const [saved, committed] = await Promise.all([
    readTreeEntries(
      git.objects,
      target.oid,
      target.restore.map(({ path }) => path),
    ),
    readTreeEntries(git.objects, target.base, target.committed),
  ])
  const unchanged = await findUnchanged(recorder.repo, disk, committed)
  const isAsSaved = ({ path, mode }: RawFile) => {
    const found = disk.at(path)
    const isSameKind =
      mode === undefined ? found.kind === 'link' : found.kind === 'file' && found.mode === mode
    const content = isSameKind ? disk.read(path) : undefined
    return content !== undefined && blobOid(content, target.oid) === saved.get(path)?.oid
  }
  const files = withoutLosses(disk, {
    restore: [
      ...target.restore.filter((file) => !isAsSaved(file)).map(({ path }) => path),
      ...[...committed.keys()].filter((path) => !unchanged.has(path)),
    ].sort(),
    remove: target.remove.filter((path) => isFileLike(disk.at(path))),
    skip: [],
  })
  return target.head === undefined ? files : { ...files, head: planHead(target.head, head) }
}

function planHead({ ref, before, after }: RefChange, head: Head): HeadRestore {
  if (head.ref !== ref) return 'elsewhere'
  if (head.oid === before) return 'there'
  return head.oid === after ? 'moved' : 'elsewhere'
}

/** Stages the files of the plan; nothing of the user's changes yet. */
export async function stageState(
  { git, disk }: LockedWorktree,
  stage: Stage,
  target: SafetyStep,
  plan: StatePlan,
): Promise<void> {
  const wanted = new Set(plan.restore)
  await stage.addRaw(
    git.objects,
    target.oid,
    target.restore.filter(({ path }) => wanted.has(path)),
  )
  await stage.addCheckedOut(
    disk,
    await readTreeEntries(
      git.objects,
      target.base,
      target.committed.filter((path) => wanted.has(path)),
    ),
  )
}

export interface StagedState {
  target: SafetyStep
  plan: StatePlan
  stage: Stage
  cwdInRepo: string | undefined
}

export interface StateRestored {
  /** The shadow branch that was moved back. */
  shadow?: string
  /** Set when the index had to be restored: false when another process held it, or its copy is gone. */
  index?: boolean
}

/** Where it stops half way, it can be run again from the start. */
export async function restoreState(
  { recorder: { repo }, git }: LockedWorktree,
  { target, plan, stage, cwdInRepo }: StagedState,
): Promise<StateRestored> {
  putFiles({ root: repo.root, stage, restore: plan.restore, remove: plan.remove, cwdInRepo })
  if (plan.head === 'moved' && target.head !== undefined) await moveHead(repo, target.head)
  const index = replacesIndex(target, plan) ? await restoreIndex(repo, git.objects, target) : undefined
  const shadow = target.shadow && (await moveShadow(repo, target.shadow)) ? target.shadow.ref : undefined
  return given({ index, shadow })
}

/** The index belongs to a HEAD: it is restored only where that is. */
export function replacesIndex(target: SafetyStep, plan: StatePlan): boolean {
  return target.hasIndex && plan.head !== undefined && plan.head !== 'elsewhere'
}

// Through HEAD, so that both reflogs record it. https://git-scm.com/docs/git-update-ref
async function moveHead(repo: Repo, { before, after }: RefChange): Promise<void> {
  writePoint()
  await runGit(repo, ['update-ref', '-m', 'entire rewind: undo', 'HEAD', before, after])
  writePoint()
}

async function restoreIndex(repo: Repo, objects: ObjectReader, target: SafetyStep): Promise<boolean> {
  const saved = await objects.contents(`${target.oid}:${indexPath}`)
  return saved !== undefined && writeIndex(repo, saved.content)
}

/** False when new steps were added to it since. */
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
