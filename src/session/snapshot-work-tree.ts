// A step holds the whole work tree, as it is: what differs from the tree the step builds on.
import { isInfrastructure } from '../checkpoints/layout.ts'
import { readSnapshot, type Snapshot } from '../checkpoints/snapshot.ts'
import { isStep, type StepSite, startsFresh } from '../checkpoints/step.ts'
import type { Status } from '../git/status.ts'
import { differingPaths } from '../git/tree-walk.ts'
import { findStashed, keepStashed } from './stashed.ts'
import { isNewer } from './turn-changes.ts'
import type { Work } from './work.ts'

export async function snapshotWorkTree(work: Work, site: StepSite, status: Status): Promise<Snapshot> {
  const { recorder, session } = work
  const paths = await findPaths(work, site, status)
  const snapshot = await readSnapshot(recorder.repo, paths, await work.config())
  for (const path of snapshot.skipped)
    recorder.log.write('warn', 'file left out of the step: too large or unreadable', { session_id: session.id, path })
  const stashed = await findStashed(recorder.repo, work.objects, session.filesTouched)
  return { ...snapshot, changes: [...snapshot.changes, ...keepStashed(stashed)] }
}

export function dirtyPaths(status: Status): string[] {
  return [...status.deleted, ...status.modified, ...status.untracked].filter((path) => !isInfrastructure(path))
}

async function findPaths({ recorder, session, objects, live }: Work, site: StepSite, status: Status): Promise<string[]> {
  const dirty = dirtyPaths(status)
  if (startsFresh(site) || site.parent === undefined) return dirty
  // What the last step holds otherwise than HEAD, and git calls clean, was reverted since, by whomever: the step must say so.
  const known = new Set(dirty)
  const differing =
    live.lastStep !== undefined && isStep(site.parent.text, live.lastStep)
      ? live.lastStep.dirty
      : await differingPaths(objects, site.headTree, site.parent.tree, isInfrastructure)
  const reverted = differing.filter((path) => !known.has(path))
  // What this session stored before and nobody changed since is in the tree already.
  const gone = new Set(status.deleted)
  const since = session.lastStepAt ?? 0
  return [...dirty.filter((path) => gone.has(path) || isNewer(recorder.repo, path, since)), ...reverted]
}
