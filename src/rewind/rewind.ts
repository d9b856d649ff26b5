// Going back to a step. Nothing that was on disk is ever lost: it is kept before anything changes.

import { shadowRef } from '../checkpoints/layout.ts'
import { readLog } from '../git/log.ts'
import type { Oid } from '../git/oid.ts'
import { moveRefs } from '../git/refs.ts'
import { readStatus, type Status } from '../git/status.ts'
import { readTrailer } from '../git/trailers.ts'
import { diffTrees, type TreeDifference } from '../git/tree.ts'
import type { Session } from '../model/session.ts'
import { lockFile } from '../sessions/save.ts'
import { type GitSide, openGit, type Recorder } from '../sessions/work.ts'
import { EntireError } from '../std/errors.ts'
import { takeLock } from '../std/lock.ts'
import { type Disk, findUnchanged, lookAtDisk, readTreeEntries } from './disk.ts'
import { type LogReport, planStepLog, reportLog, writeStepLog } from './logs.ts'
import { isEmptyPlan, pathsInQuestion, planRewind, type RewindPlan } from './plan.ts'
import { type RewindPoint, readStepPrompts } from './points.ts'
import { type Head, planStateRestore, restoreState, stageState } from './restore-state.ts'
import { pushUndo, readStacks, type SafetyStep, saveSafety, writeStacks } from './safety-step.ts'
import { saveSessions, sessionsHere, settleSessions } from './sessions.ts'
import { clearStage, openStage, putFiles } from './write-files.ts'

export const lockWaitMs = 10_000

export interface RewindOptions {
  dryRun: boolean
  /** The directory the user is in, from the top of the work tree. */
  cwdInRepo?: string | undefined
}

export type StepPoint = Pick<RewindPoint, 'id' | 'session' | 'isTask' | 'metadataDir'>

export interface StepReport extends RewindPlan {
  /** Set when the shadow branch moved. */
  shadow?: string
  log: LogReport
  /** The log ends where the task did. */
  isTaskEnd: boolean
  /** There is something to undo. */
  isDone: boolean
}

export async function rewindTo(
  recorder: Recorder,
  point: StepPoint,
  options: RewindOptions,
): Promise<StepReport> {
  const { repo } = recorder
  using _lock = await takeLock(lockFile(repo), { waitMs: lockWaitMs })
  clearStage(repo)
  await using git = openGit(repo)
  const disk = lookAtDisk(repo.root)
  const sessions = sessionsHere(repo, point.session)
  const { status, head } = await readHeadStatus(git)
  const differences = await diffTrees(repo, `${head}^{tree}`, `${point.id}^{tree}`)
  const plan = await planStep({ recorder, git, disk, sessions }, point.id, status, differences)
  const log = await planLog(recorder, git, point)
  const ref = shadowRef(head, repo.worktreeId)
  const tip = (await git.objects.info(ref))?.oid
  const moves = tip !== undefined && tip !== point.id
  const report: StepReport = {
    ...plan,
    log: reportLog(log),
    isTaskEnd: log.isTaskEnd ?? false,
    isDone: false,
  }
  if (options.dryRun || (isEmptyPlan(plan) && !moves && log.state !== 'write')) return report

  using stage = openStage(repo)
  await stage.addCheckedOut(disk, await readTreeEntries(git.objects, point.id, plan.restore))
  const [dropped, prompts, stacks] = await Promise.all([
    moves ? countDropped(recorder, tip, point.id) : new Map<string, number>(),
    point.session === undefined ? [] : readStepPrompts(git.objects, point.id, point.session),
    readStacks(repo),
  ])
  const safety = await saveSafety(
    { recorder, git, disk },
    {
      kind: 'rewind',
      paths: [...plan.restore, ...plan.remove],
      committed: [],
      ...(moves ? { shadow: { ref, before: tip, after: point.id } } : {}),
      sessions: saveSessions(repo, sessions),
      logs: log.state === 'write' ? [log.saved] : [],
    },
    { commits: moves ? [tip] : [] },
  )
  await uninterrupted(async () => {
    writeStacks(repo, pushUndo(stacks, safety.oid))
    await rollBackOnFailure(recorder, git, safety, async () =>
      putFiles({ root: repo.root, stage, ...plan, cwdInRepo: options.cwdInRepo }),
    )
    if (moves) await moveRefs(repo, [{ ref, to: point.id, from: tip }])
    settleSessions(repo, sessions, {
      changed: new Set([...plan.restore, ...plan.remove]),
      differing: new Set(differences.map(({ path }) => path)),
      dropped,
      ...(point.session === undefined || point.isTask
        ? {}
        : { prompts: { session: point.session, list: prompts } }),
    })
    report.log = await writeStepLog(recorder, log)
  })
  return { ...report, isDone: true, ...(moves ? { shadow: ref } : {}) }
}

export async function readHeadStatus(git: GitSide): Promise<{ status: Status; head: Oid }> {
  const status = await git.status()
  if (status.head !== undefined) return { status, head: status.head }
  throw new EntireError('no-commits', 'This repository has no commits yet.', {
    hint: 'Points to go back to come with the first turn after the first commit.',
  })
}

export function headOf({ branch, head }: Status): Head {
  return { ref: branch === undefined ? 'HEAD' : `refs/heads/${branch}`, oid: head ?? '' }
}

/** A failure half way leads back to where we were. */
export async function rollBackOnFailure(
  recorder: Recorder,
  git: GitSide,
  safety: SafetyStep,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act()
  } catch (error) {
    const { repo } = recorder
    const disk = lookAtDisk(repo.root)
    const plan = await planStateRestore(repo, git.objects, disk, safety, headOf(await readStatus(repo)))
    using stage = openStage(repo)
    await stageState(stage, git.objects, disk, safety, plan)
    await restoreState(repo, git.objects, { target: safety, plan, stage, standing: undefined })
    throw error
  }
}

interface Planning {
  recorder: Recorder
  git: GitSide
  disk: Disk
  sessions: Session[]
}

async function planStep(
  { recorder, git, disk, sessions }: Planning,
  step: Oid,
  status: Status,
  differences: TreeDifference[],
): Promise<RewindPlan> {
  const paths = pathsInQuestion(status, differences)
  const [entries, committed] = await Promise.all([
    readTreeEntries(git.objects, step, paths),
    readTreeEntries(git.objects, 'HEAD', paths),
  ])
  const made = sessions.map((session) => ({
    touched: new Set(session.filesTouched),
    before: new Set(session.untrackedAtStart),
  }))
  const protectedDirs = ['.git', ...(await recorder.loadAgents()).flatMap((agent) => agent.protectedDirs)]
  return planRewind({
    status,
    differences,
    entries,
    committed,
    unchanged: await findUnchanged(recorder.repo, disk, entries),
    disk,
    isTouched: (path) => made.some(({ touched }) => touched.has(path)),
    isMadeBySession: (path) => made.some(({ touched, before }) => touched.has(path) && !before.has(path)),
    isProtected: (path) => protectedDirs.some((dir) => path === dir || path.startsWith(`${dir}/`)),
  })
}

function planLog(recorder: Recorder, git: GitSide, { id, session, isTask, metadataDir }: StepPoint) {
  if (session === undefined) return Promise.resolve({ state: 'none' as const, isTaskEnd: false })
  return planStepLog(recorder, git.objects, { step: id, session, task: isTask ? metadataDir : undefined })
}

// Nobody makes more steps between two commits.
const mostSteps = 1_000

async function countDropped({ repo }: Recorder, tip: Oid, step: Oid): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { message } of await readLog(repo, [`-${mostSteps}`, '--first-parent', tip, `^${step}`])) {
    const session = readTrailer(message, 'Entire-Session')[0]
    const isTurn = readTrailer(message, 'Entire-Metadata-Task').length === 0
    if (session !== undefined && isTurn) counts.set(session, (counts.get(session) ?? 0) + 1)
  }
  return counts
}

// Ctrl-C between two files would leave half of a rewind. It takes an instant: the key is heard, and changes nothing.

export async function uninterrupted<T>(act: () => Promise<T>): Promise<T> {
  const ignore = () => {}
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, ignore)
  try {
    return await act()
  } finally {
    for (const signal of signals) process.off(signal, ignore)
  }
}
