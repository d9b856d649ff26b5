// Carries uncommitted work of a session forward to the branch for the new HEAD, so that the next commit gets
// its own checkpoint.

import { shadowRef } from '../checkpoints/layout.ts'
import { remainingFiles } from '../checkpoints/overlap.ts'
import { changedAt, findExcess, readSnapshot, worktreeOid } from '../checkpoints/snapshot.ts'
import { findAgentStep } from '../checkpoints/step.ts'
import type { CommitInfo } from '../git/commit.ts'
import type { TreeChange } from '../git/fast-import.ts'
import type { Oid } from '../git/oid.ts'
import { findIgnored } from '../git/status.ts'
import type { ChangedFile } from '../git/tree-diff.ts'
import type { Session } from '../model/session.ts'
import type { Recorder } from '../sessions/event-work.ts'
import type { GitSession } from '../sessions/git-session.ts'
import { findStashed, stashedChanges } from '../sessions/stash.ts'

/** The commit that uncommitted work is based on from now on. */
interface NewHead {
  recorder: Recorder
  git: GitSession
  commit: CommitInfo
}

/**
 * Returns the uncommitted files by session. One tree holds them all, because sessions of a work tree share
 * its branch.
 */
export async function carryForward(head: NewHead, sessions: Session[]): Promise<Map<string, string[]>> {
  const left = new Map<string, string[]>()
  const changes: TreeChange[] = []
  const committed = new Map(head.commit.files.map((file) => [file.path, file]))
  const plans = await Promise.all(
    sessions.map(async (session) => {
      const step = await readStepBlobs(head, session)
      const settled = await findSettled(head, session, committed, step)
      return {
        session,
        step,
        files: findRemaining(head, session, committed, step).filter((path) => !settled.has(path)),
      }
    }),
  )
  for (const { session, files } of plans.filter((plan) => plan.files.length > 0)) {
    left.set(session.id, files)
    changes.push(...(await snapshot(head, files)))
  }
  if (left.size > 0) await writeSteps(head, [...left.keys()], sessions, changes)
  return left
}

function findRemaining(
  { recorder, commit }: NewHead,
  session: Session,
  committed: Map<string, ChangedFile>,
  step: Map<string, Oid> | undefined,
): string[] {
  const worktree = new Map<string, Oid>()
  for (const path of session.filesTouched) {
    const oid = committed.has(path) ? worktreeOid(recorder.repo, path, commit.oid) : undefined
    if (oid !== undefined) worktree.set(path, oid)
  }
  return remainingFiles(session.filesTouched, { committed, step, worktree })
}

// Files that an earlier commit took without a link (its hook died, or the user said no), files that were deleted
// before any commit, and files that are ignored by now would otherwise be carried forward with every commit.
async function findSettled(
  { recorder, git, commit }: NewHead,
  session: Session,
  committed: Map<string, ChangedFile>,
  step: Map<string, Oid> | undefined,
): Promise<Set<string>> {
  const others = session.filesTouched.filter((path) => !committed.has(path))
  const infos = await Promise.all(others.map((path) => git.objects.info(`${commit.oid}:${path}`)))
  const stashed = await findStashed(recorder.repo, git.objects, others)
  const isThere = (path: string) => changedAt(recorder.repo, path) !== undefined
  const uncommitted = others.filter((path, index) => infos[index] === undefined && isThere(path))
  const ignored = await findIgnored(recorder.repo, uncommitted)
  return new Set(
    others.filter((path, index) => {
      const stored = infos[index]?.oid
      if (stored !== undefined) return stored === step?.get(path)
      return ignored.has(path) || (!isThere(path) && !stashed.has(path))
    }),
  )
}

async function readStepBlobs({ git }: NewHead, session: Session): Promise<Map<string, Oid> | undefined> {
  const shadow = shadowRef(session.baseCommit, session.worktreeId)
  const tip = session.stepCount === 0 ? undefined : await findAgentStep(git.objects, shadow)
  if (tip === undefined) return undefined
  const infos = await Promise.all(
    session.filesTouched.map(
      async (path) => [path, (await git.objects.info(`${tip.oid}:${path}`))?.oid] as const,
    ),
  )
  return new Map(infos.flatMap(([path, oid]) => (oid === undefined ? [] : [[path, oid] as const])))
}

// A file that is missing on disk may be stashed. Where a directory that is committed has come back instead of it, there
// is nothing to delete.
async function snapshot({ recorder, git, commit }: NewHead, files: string[]): Promise<TreeChange[]> {
  const { repo, settings } = recorder
  const excluded = findExcess(repo, { stored: [], others: files }, settings.maxUntrackedBytes)
  const { changes } = await readSnapshot(repo, files, { ...(await git.config()), excluded })
  const stashed = await findStashed(repo, git.objects, files)
  const isBack = await Promise.all(
    changes.map(async (change) => {
      if (!('deleted' in change) || changedAt(repo, change.path) === undefined) return false
      return (await git.objects.info(`${commit.oid}:${change.path}`))?.type === 'tree'
    }),
  )
  const stored = changes.filter((_, index) => !isBack[index])
  return [...(await git.writes().storeFiles(stored)), ...stashedChanges(repo, stashed)]
}

async function writeSteps(
  { recorder, git, commit }: NewHead,
  ids: string[],
  sessions: Session[],
  changes: TreeChange[],
): Promise<void> {
  const worktreeId = sessions[0]?.worktreeId ?? ''
  const ref = shadowRef(commit.oid, worktreeId)
  const tree = await git.objects.info(`${commit.oid}^{tree}`)
  const existing = await git.objects.info(ref)
  const { author } = await git.config()
  for (const [index, id] of ids.entries()) {
    git.writes().commit({
      ref,
      parent: existing?.oid,
      message: `carry forward: uncommitted session files\n\nEntire-Metadata: \nEntire-Session: ${id}\nEntire-Strategy: manual-commit\n`,
      author,
      seconds: Math.floor(recorder.clock().getTime() / 1000),
      changes:
        index === 0 && tree !== undefined
          ? [
              ...(existing === undefined ? [{ path: '', mode: '040000' as const, oid: tree.oid }] : []),
              ...changes,
            ]
          : [],
    })
  }
}
