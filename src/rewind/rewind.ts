// Rewinds the work tree to a step, after a safety step has saved what is on disk.

import { shadowRef } from '../checkpoints/layout.ts'
import { readLeftOut } from '../checkpoints/left-out.ts'
import { isTask, turnAfter } from '../checkpoints/step.ts'
import { readLog } from '../git/log.ts'
import type { Oid } from '../git/oid.ts'
import type { Repo } from '../git/repo.ts'
import type { Status } from '../git/status.ts'
import { readTrailer } from '../git/trailers.ts'
import type { FileEntry } from '../git/tree.ts'
import { diffTrees, type TreeDifference } from '../git/tree-diff.ts'
import { isActive, type Session } from '../model/session.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { given } from '../std/given.ts'
import { findUnchanged, readTreeEntries } from './disk.ts'
import {
  type LockedWorktree,
  type RewindOptions,
  readHeadStatus,
  uninterrupted,
  withLockedWorktree,
} from './locked-worktree.ts'
import { type LogReport, planStepLog, reportLog, type StepLogPlan, writeStepLog } from './logs.ts'
import { isEmptyPlan, pathsInQuestion, planRewind, type RewindPlan } from './plan.ts'
import { type RewindPoint, readStepPrompts } from './points.ts'
import { rollBackOnFailure } from './restore-state.ts'
import { pushUndo, type RefChange, readStacks, saveSafety, writeStacks } from './safety-step.ts'
import { saveSessions, sessionsHere, settleSessions } from './sessions.ts'
import { type TakenBack, takeBack } from './take-back.ts'
import { openStage, putFiles } from './write-files.ts'

export type StepPoint = Pick<RewindPoint, 'id' | 'session' | 'isTask' | 'isBeforeTurn' | 'metadataDir'>

export interface StepReport extends FilePlan {
  /** Set when the shadow branch moved. */
  shadow?: string
  log: LogReport
  /** The log ends where the task did. */
  isTaskEnd: boolean
  /** There is something to undo. */
  isDone: boolean
}

export function rewindTo(recorder: Recorder, point: StepPoint, options: RewindOptions): Promise<StepReport> {
  return withLockedWorktree(recorder, async (worktree) => {
    const rewind = await planStepRewind(worktree, point, options)
    const { files, log, shadow } = rewind
    const report: StepReport = {
      ...files,
      log: reportLog(log),
      isTaskEnd: log.isTaskEnd ?? false,
      isDone: false,
    }
    const changesNothing = isEmptyPlan(files) && shadow === undefined && log.state !== 'write'
    if (options.dryRun || changesNothing) return report
    const written = await rewindWorktree(worktree, rewind, options)
    return { ...report, log: written, isDone: true, ...given({ shadow: shadow?.ref }) }
  })
}

interface StepRewind {
  point: StepPoint
  files: FilePlan
  /** How the step's tree differs from HEAD's. */
  differences: TreeDifference[]
  sessions: Session[]
  log: StepLogPlan
  /** How the shadow branch has to move; undefined when it ends with the step already. */
  shadow: RefChange | undefined
}

async function planStepRewind(
  worktree: LockedWorktree,
  point: StepPoint,
  options: RewindOptions,
): Promise<StepRewind> {
  const { recorder, git } = worktree
  const { repo } = recorder
  const sessions = sessionsHere(repo, point.session)
  const { status, head } = await readHeadStatus(git)
  const differences = await diffTrees(repo, `${head}^{tree}`, `${point.id}^{tree}`)
  const ref = shadowRef(head, repo.worktreeId)
  const tip = (await git.objects.info(ref))?.oid
  const files = await planFiles(worktree, point, { status, head, differences, sessions, tip, options })
  const isPartial = options.paths !== undefined
  const log: StepLogPlan = isPartial ? { state: 'none' } : await planLog(worktree, point)
  // Without a step to end with, or when only some files go back, the branch stays.
  const moves = tip !== undefined && tip !== point.id && point.id !== head && !isPartial
  const shadow = moves ? { ref, before: tip, after: point.id } : undefined
  return { point, files, differences, sessions, log, shadow }
}

async function planFiles(
  worktree: LockedWorktree,
  point: StepPoint,
  facts: {
    status: Status
    differences: TreeDifference[]
    sessions: Session[]
    head: Oid
    /** The last step. */
    tip: Oid | undefined
    options: RewindOptions
  },
): Promise<FilePlan> {
  const { recorder, git, disk } = worktree
  const { status, differences, tip, options } = facts
  const paths = pathsInQuestion(status, differences)
  const [entries, committed, leftOut] = await Promise.all([
    readTreeEntries(git.objects, point.id, paths),
    readTreeEntries(git.objects, 'HEAD', paths),
    Promise.all(
      [point.id, ...(tip === undefined ? [] : [tip])].map((step) => readLeftOut(git.objects, step)),
    ),
  ])
  const sessions = facts.sessions.map((session) => ({
    touched: new Set(session.filesTouched),
    untrackedAtStart: new Set(session.untrackedAtStart),
  }))
  const protectedDirs = ['.git', ...(await recorder.loadAgents()).flatMap((agent) => agent.protectedDirs)]
  const isAll = options.everything === true
  const plan = planRewind({
    status,
    differences,
    entries,
    committed,
    leftOut: new Set(leftOut.flat()),
    unchanged: await findUnchanged(recorder.repo, disk, entries),
    disk,
    isTouched: (path) => isAll || sessions.some(({ touched }) => touched.has(path)),
    isMadeBySession: (path) =>
      isAll ||
      sessions.some(({ touched, untrackedAtStart }) => touched.has(path) && !untrackedAtStart.has(path)),
    isProtected: (path) => protectedDirs.some((dir) => isWithin(path, dir)),
  })
  const wanted = chooseFiles(plan, options.paths)
  const taken =
    isAll || tip === undefined
      ? undefined
      : await takeBack(
          worktree,
          {
            tip,
            base: facts.head,
            target: point.id,
            isTurnRunning: facts.sessions.some(isActive),
          },
          [...wanted.restore, ...wanted.remove],
        )
  return taken === undefined ? { ...wanted, merged: new Map(), conflicts: [] } : keepPersonal(wanted, taken)
}

/** The plan of a rewind, and how files that the agent and the person have changed are settled. */
export interface FilePlan extends RewindPlan {
  /** What is written instead of the step's content. */
  merged: Map<string, FileEntry>
  /** Files in which the person's changes are lost to the step's content. */
  conflicts: string[]
}

function chooseFiles(plan: RewindPlan, chosen: string[] | undefined): RewindPlan {
  if (chosen === undefined) return plan
  const isChosen = (path: string) => chosen.some((place) => isWithin(path, place))
  return {
    restore: plan.restore.filter(isChosen),
    remove: plan.remove.filter(isChosen),
    skip: plan.skip.filter(({ path }) => isChosen(path)),
  }
}

function isWithin(path: string, dir: string): boolean {
  return dir === '' || path === dir || path.startsWith(`${dir}/`)
}

function keepPersonal(
  { restore, remove, skip }: RewindPlan,
  { personal, merged, conflicts }: TakenBack,
): FilePlan {
  const kept = [...restore, ...remove].filter((path) => personal.has(path))
  return {
    restore: [
      ...restore.filter((path) => !personal.has(path)),
      ...remove.filter((path) => merged.has(path)),
    ].sort(),
    remove: remove.filter((path) => !personal.has(path) && !merged.has(path)),
    skip: [...skip, ...kept.map((path) => ({ path, reason: 'changed-only-by-you' as const }))],
    merged,
    conflicts,
  }
}

async function planLog(
  { recorder, git }: LockedWorktree,
  { id, session, isTask, metadataDir }: StepPoint,
): Promise<StepLogPlan> {
  if (session === undefined) return { state: 'none' }
  return planStepLog(recorder, git.objects, { step: id, session, task: isTask ? metadataDir : undefined })
}

/** Saves what is about to be replaced, then changes files, shadow branch, sessions and log. */
async function rewindWorktree(
  worktree: LockedWorktree,
  rewind: StepRewind,
  options: RewindOptions,
): Promise<LogReport> {
  const { recorder, git, disk } = worktree
  const { repo } = recorder
  const { point, files, differences, sessions, log, shadow } = rewind
  const changed = [...files.restore, ...files.remove]
  using stage = openStage(repo)
  const entries = await readTreeEntries(git.objects, point.id, files.restore)
  await stage.addCheckedOut(disk, new Map([...entries, ...files.merged]))
  const [dropped, prompts, stacks] = await Promise.all([
    shadow === undefined ? new Map<string, number>() : countDropped(repo, shadow),
    point.session === undefined ? [] : readStepPrompts(git.objects, point.id, point.session),
    readStacks(repo),
  ])
  const safety = await saveSafety(
    worktree,
    {
      kind: 'rewind',
      paths: changed,
      committed: [],
      ...given({ shadow }),
      sessions: saveSessions(repo, sessions),
      logs: log.state === 'write' ? [log.saved] : [],
    },
    { commits: shadow === undefined ? [] : [shadow.before] },
  )
  return uninterrupted(async () => {
    writeStacks(repo, pushUndo(stacks, safety.oid))
    await rollBackOnFailure(worktree, safety, async () =>
      putFiles({ root: repo.root, stage, ...files, cwdInRepo: options.cwdInRepo }),
    )
    if (shadow !== undefined) await git.moveRefs([{ ref: shadow.ref, to: shadow.after, from: shadow.before }])
    settleSessions(repo, sessions, {
      changed: new Set(changed),
      differing: new Set(differences.map(({ path }) => path)),
      dropped,
      isBeforeTurn: point.isBeforeTurn === true,
      ...(point.session === undefined || point.isTask
        ? {}
        : { prompts: { session: point.session, list: prompts } }),
    })
    return writeStepLog(recorder, git.objects, log)
  })
}

// More steps than anyone makes between two commits.
const mostSteps = 1_000

/** How many turns of each session the shadow branch loses. */
async function countDropped(repo: Repo, { before, after }: RefChange): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { message } of await readLog(repo, [`-${mostSteps}`, '--first-parent', before, `^${after}`])) {
    const session = readTrailer(message, 'Entire-Session')[0]
    const isTurn = !isTask(message) && turnAfter(message) === undefined
    if (session !== undefined && isTurn) counts.set(session, (counts.get(session) ?? 0) + 1)
  }
  return counts
}
