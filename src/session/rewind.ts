// Going back to a step, and forth again. Nothing that was on disk is ever lost: it is kept before anything changes.
import { shadowRef } from '../checkpoints/layout.ts'
import { isEmptyPlan, planRewind, type RewindPlan } from '../checkpoints/rewind-plan.ts'
import { readWorkFile } from '../checkpoints/snapshot.ts'
import { putFiles } from '../checkpoints/work-tree-writer.ts'
import { blobOid, type Oid } from '../git/oid.ts'
import { moveRefs } from '../git/refs.ts'
import { diffTrees } from '../git/tree-diff.ts'
import type { Session } from '../model/session.ts'
import { EntireError } from '../std/errors.ts'
import { takeLock } from '../std/lock.ts'
import { readLive, updateLive, writeLive } from './live.ts'
import { lockFile } from './persist.ts'
import { findUndoTarget, type SafetyStep, saveSafety } from './safety-step.ts'
import { listSessions, writeSession } from './store.ts'
import { type GitSide, openGit, type Recorder } from './work.ts'

const lockWaitMs = 10_000

export async function rewindTo(recorder: Recorder, step: Oid, options: { dryRun: boolean }): Promise<RewindPlan> {
  using _lock = await takeLock(lockFile(recorder.repo), { waitMs: lockWaitMs })
  await using git = openGit(recorder.repo)
  const sessions = sessionsHere(recorder)
  const { plan, differing } = await planStep(recorder, git, sessions, step)
  if (options.dryRun || isEmptyPlan(plan)) return plan
  const head = (await git.status()).head as Oid
  const shadow = shadowRef(head, recorder.repo.worktreeId)
  const tip = (await git.objects.info(shadow))?.oid
  const last = await findUndoTarget(recorder)
  const safety = await saveSafety(
    { recorder, git },
    { kind: 'rewind', paths: [...plan.restore, ...plan.remove], next: last?.oid, alsoKeep: tip, sessions },
  )
  await putSafely(recorder, step, plan, safety)
  if (tip !== undefined && tip !== step) await moveRefs(recorder.repo, [{ ref: shadow, to: step, from: tip }])
  const changed = new Set([...plan.restore, ...plan.remove])
  settleSessions(recorder, (session) => session.filesTouched.filter((path) => differing.has(path) || !changed.has(path)))
  return plan
}

export async function undoRewind(recorder: Recorder, options: { dryRun: boolean }): Promise<RewindPlan> {
  using _lock = await takeLock(lockFile(recorder.repo), { waitMs: lockWaitMs })
  await using git = openGit(recorder.repo)
  const target = await findUndoTarget(recorder)
  if (target === undefined)
    throw new EntireError('not-found', 'There is no rewind to undo.', { hint: '`entire rewind --list` shows where you can go.' })
  const plan = { restore: target.restore, remove: target.remove, keep: [] }
  if (options.dryRun) return plan
  const safety = await saveSafety(
    { recorder, git },
    { kind: 'undo', paths: [...plan.restore, ...plan.remove], next: target.next, alsoKeep: undefined, sessions: sessionsHere(recorder) },
  )
  await putSafely(recorder, target.oid, plan, safety)
  settleSessions(recorder, (session) => target.touched[session.id] ?? session.filesTouched)
  return plan
}

async function planStep(
  recorder: Recorder,
  git: GitSide,
  sessions: Session[],
  step: Oid,
): Promise<{ plan: RewindPlan; differing: Set<string> }> {
  const { repo } = recorder
  const status = await git.status()
  if (status.head === undefined)
    throw new EntireError('no-commits', 'This repository has no commits yet.', {
      hint: 'Points to go back to come with the first turn after the first commit.',
    })
  const differences = await diffTrees(repo, `${status.head}^{tree}`, `${step}^{tree}`)
  const entries = new Map(differences.map(({ path, entry }) => [path, entry]))
  const asked = [...new Set([...entries.keys(), ...status.modified, ...status.deleted, ...status.untracked])]
  const wanted = new Map(
    await Promise.all(
      asked.map(async (path) => [path, entries.get(path)?.oid ?? (await git.objects.info(`${step}:${path}`))?.oid] as const),
    ),
  )
  const protectedDirs = ['.git', ...recorder.agents.flatMap((agent) => agent.protectedDirs)]
  const plan = planRewind({
    status,
    step: differences,
    touched: new Set(sessions.flatMap((session) => session.filesTouched)),
    existedBefore: new Set(sessions.flatMap((session) => session.untrackedAtStart)),
    isProtected: (path) => protectedDirs.some((dir) => path === dir || path.startsWith(`${dir}/`)),
    isInStep: (path) => wanted.get(path) !== undefined,
    isOnDisk: (path) => readWorkFile(repo, path) !== undefined,
    isAsInStep: (path) => {
      const content = readWorkFile(repo, path)
      return content !== undefined && blobOid(content, step) === wanted.get(path)
    },
  })
  return { plan, differing: new Set(entries.keys()) }
}

// A failure half way leads back to where we were.
async function putSafely({ repo }: Recorder, commit: Oid, plan: Pick<RewindPlan, 'restore' | 'remove'>, safety: SafetyStep): Promise<void> {
  try {
    await putFiles(repo, commit, plan)
  } catch (error) {
    await putFiles(repo, safety.oid, safety)
    throw error
  }
}

/** Files a rewind made as they are in HEAD are nobody's work any more; an undo makes them so again. */
function settleSessions({ repo }: Recorder, touchedBy: (session: Session) => string[]): void {
  const live = readLive(repo)
  for (const session of sessionsHere({ repo })) {
    // Files now have times that say nothing about what the next step must store.
    delete session.lastStepAt
    session.filesTouched = touchedBy(session)
    writeSession(repo, session)
    updateLive(live, session)
  }
  writeLive(repo, live)
}

function sessionsHere({ repo }: Pick<Recorder, 'repo'>): Session[] {
  return listSessions(repo).filter((session) => session.worktreePath === repo.root && session.baseCommit !== '')
}
