// Removes a secret, a checkpoint or a session from every ref, file and object of the repository that the program
// owns, and looks at all objects afterwards. What is the user's own is never touched: it is reported.
//
// The order survives a kill at any point: the new objects, then the note of what is going to be removed, the
// files, the refs in one transaction, and the old objects last. Run again, a purge does what is left.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { metadataRef } from '../../checkpoints/layout.ts'
import { asidePrefix, readPurged, writePurged } from '../../checkpoints/purged.ts'
import { mergeWith } from '../../checkpoints/sync-ref.ts'
import {
  findReachable,
  findRoots,
  listAllCommits,
  listReachableCommits,
  removeObjects,
} from '../../git/all-objects.ts'
import { openObjectReader } from '../../git/cat-file.ts'
import { readConfig } from '../../git/config.ts'
import { git } from '../../git/exec.ts'
import type { Oid } from '../../git/oid.ts'
import { listRefs, moveRefs } from '../../git/refs.ts'
import type { Repo } from '../../git/repo.ts'
import type { Recorder } from '../../sessions/event-work.ts'
import { retrying } from '../../sessions/save.ts'
import { listWorktrees, lockWorktrees } from '../../sessions/worktrees.ts'
import { removeFile, writeAtomic } from '../../std/file.ts'
import { isAlive } from '../../std/lock.ts'
import { findHolders, findLeft, type Holder, type LeftObject } from './left-behind.ts'
import { listDir } from './own-files.ts'
import {
  addReachable,
  isNothing,
  oidsOf,
  type PurgeOptions,
  type PurgePlan,
  planPurge,
  sortDangling,
} from './plan.ts'
import { isCopy, ownedKind, type PurgeTarget } from './target.ts'

export interface PurgeResult {
  plan: PurgePlan
  /** Objects that were removed. */
  removed: number
  /** Objects that still hold it, because they are the user's or in another repository. */
  left: LeftObject[]
  /** What of the user leads to the old commits of the program. */
  holders: Holder[]
}

/** Plans again under the locks of all work trees, and removes. */
export async function purge(
  recorder: Recorder,
  target: PurgeTarget,
  options: PurgeOptions,
): Promise<PurgeResult> {
  const { repo } = recorder
  using _lock = await lockWorktrees(listWorktrees(repo))
  sweepAside(repo)
  const unfinished = new Set(readPurged(repo).unfinished?.objects)
  let plan: PurgePlan | undefined
  await retrying(async () => {
    plan = await planPurge(repo, target, options)
    await replace(recorder, target, plan)
  })
  const done = plan as unknown as PurgePlan
  options.progress('Removing objects')
  const removed = await removeUnneeded(repo, new Set([...done.objects, ...unfinished]))
  const left = await findLeft(repo, target, done.commits, options)
  const holders = left.some(({ isHeld }) => isHeld) ? await findHolders(repo, done.commits) : []
  const { unfinished: begun, ...memory } = readPurged(repo)
  if (begun !== undefined) writePurged(repo, memory)
  return { plan: done, removed, left, holders }
}

async function replace(recorder: Recorder, target: PurgeTarget, plan: PurgePlan): Promise<void> {
  const { repo } = recorder
  const memory = readPurged(repo)
  if (isNothing(plan) && memory.unfinished === undefined) return
  await plan.rewriter.write(repo)
  writePurged(repo, {
    commits: [...new Set([...memory.commits, ...plan.commits])],
    checkpoints: [...new Set([...memory.checkpoints, ...plan.removedCheckpoints])],
    unfinished: {
      kind: target.kind,
      ...(target.kind === 'secret' ? {} : { id: target.id }),
      objects: [...new Set([...(memory.unfinished?.objects ?? []), ...plan.objects])],
    },
  })
  for (const { path, content } of plan.files)
    if (content === null) removeFile(path)
    else writeAtomic(path, content, { mode: 0o600 })
  // The copies go last: until then, a second attempt can take their checkpoints in.
  const [copies, own] = [
    plan.refs.filter(({ ref }) => isCopy(ref)),
    plan.refs.filter(({ ref }) => !isCopy(ref)),
  ]
  await moveRefs(repo, own)
  await joinCopy(recorder, plan)
  await moveRefs(repo, copies)
  const logged = (await listRefs(repo, 'refs/heads/entire/', 'refs/remotes/', 'refs/notes/'))
    .map(({ ref }) => ref)
    .filter((ref) => ownedKind(ref) !== undefined)
  if (logged.length > 0) await git(repo, ['reflog', 'expire', '--expire=all', ...logged])
}

/** Takes in the checkpoints of origin's copy that are not here, before the copy is forgotten. */
async function joinCopy({ repo, clock }: Recorder, { refs, rewriter }: PurgePlan): Promise<void> {
  const copies = refs.filter(({ ref }) => /^refs\/remotes\/[^/]+\/entire\/checkpoints\/v1$/.test(ref))
  const copy =
    copies.find(({ ref }) => ref.startsWith('refs/remotes/origin/')) ??
    (copies.length === 1 ? copies[0] : undefined)
  const theirs = copy && rewriter.commits.get(copy.from)?.[0]
  if (theirs === undefined) return
  await using objects = openObjectReader(repo)
  if ((await objects.info(metadataRef)) === undefined)
    return await moveRefs(repo, [{ ref: metadataRef, to: theirs, from: undefined }])
  const { author } = await readConfig(repo)
  const sync = { repo, objects, author, clock, remote: '', label: '', ref: metadataRef, say: () => {} }
  await mergeWith(sync, theirs)
}

/** Removes what neither a ref, nor an index, nor a dangling commit of the user leads to. */
async function removeUnneeded(repo: Repo, candidates: Set<Oid>): Promise<number> {
  if (candidates.size === 0) return 0
  const roots = oidsOf(await findRoots(repo, () => false))
  const needed = new Set((await findReachable(repo, roots, candidates)).keys())
  await using objects = openObjectReader(repo)
  const reachable = await listReachableCommits(repo, roots)
  const dangling = await sortDangling(
    objects,
    await listAllCommits(repo),
    new Set([...reachable, ...candidates]),
  )
  await addReachable(objects, dangling.users, { wanted: candidates, found: needed })
  const removed = new Set([...candidates].filter((oid) => !needed.has(oid)))
  const present = await Promise.all([...removed].map((oid) => objects.info(oid)))
  await removeObjects(repo, removed)
  return present.filter((info) => info !== undefined).length
}

// A killed process may have left what it had fetched to look at.
function sweepAside({ commonDir }: Repo): void {
  for (const name of listDir(commonDir)) {
    const pid = name.startsWith(asidePrefix)
      ? Number.parseInt(name.slice(asidePrefix.length), 10)
      : Number.NaN
    if (pid > 0 && !isAlive(pid)) rmSync(join(commonDir, name), { recursive: true, force: true })
  }
}
