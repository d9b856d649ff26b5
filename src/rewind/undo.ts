// Undo and redo: the way back to what the last rewind replaced, and forth again. What they replace is kept as well.

import type { Oid } from '../git/oid.ts'
import { lockFile } from '../sessions/save.ts'
import { readSession } from '../sessions/store.ts'
import { type GitSide, openGit, type Recorder } from '../sessions/work.ts'
import { EntireError } from '../std/errors.ts'
import { given } from '../std/given.ts'
import { takeLock } from '../std/lock.ts'
import { lookAtDisk } from './disk.ts'
import { type UndoneLog, undoLogs } from './logs.ts'
import {
  type Head,
  planStateRestore,
  readIndex,
  restoreState,
  type StatePlan,
  type StateRestored,
  stageState,
} from './restore-state.ts'
import {
  headOf,
  lockWaitMs,
  type RewindOptions,
  readHeadStatus,
  rollBackOnFailure,
  uninterrupted,
} from './rewind.ts'
import {
  type Direction,
  popSafetyStep,
  type RefChange,
  readStacks,
  type SafetyStep,
  type Stacks,
  saveSafety,
  writeStacks,
} from './safety-step.ts'
import { reversed } from './saved-log.ts'
import { restoreSessions, saveSessions } from './sessions.ts'
import { clearStage, openStage } from './write-files.ts'

export interface UndoReport extends StatePlan, StateRestored {
  /** What was undone or done again. */
  of: SafetyStep['kind']
  logs: UndoneLog[]
  /** HEAD then and now. */
  base: Oid
  at: Head
  /** The branch and where a reset had it, when it was to be moved. */
  branch?: RefChange
  /** Something is in the way: the same command goes on when it is moved away. */
  isPartial: boolean
}

export async function undoOrRedo(
  recorder: Recorder,
  direction: Direction,
  options: RewindOptions,
): Promise<UndoReport> {
  const { repo } = recorder
  using _lock = await takeLock(lockFile(repo), { waitMs: lockWaitMs })
  clearStage(repo)
  await using git = openGit(repo)
  const stacks = await readStacks(repo)
  const found = await popSafetyStep(git.objects, stacks[direction])
  if (found === undefined) throw nothingThere(direction, stacks)
  const { target } = found
  const at = headOf((await readHeadStatus(git)).status)
  const disk = lookAtDisk(repo.root)
  const plan = await planStateRestore(repo, git.objects, disk, target, at)
  const isPartial = plan.skip.length > 0
  const branch = target.head === undefined ? {} : { branch: target.head }
  const report: UndoReport = {
    ...plan,
    of: target.kind,
    logs: [],
    base: target.base,
    at,
    ...branch,
    isPartial,
  }
  if (options.dryRun) return report

  using stage = openStage(repo)
  await stageState(stage, git.objects, disk, target, plan)
  const safety = await keepPresent({ recorder, git, direction }, target, plan, at)
  const away: Direction = direction === 'undo' ? 'redo' : 'undo'
  const forth = [safety.oid, ...stacks[away]]
  let done: StateRestored = {}
  await uninterrupted(async () => {
    // Until all is back, the target stays where the next try finds it.
    writeStacks(repo, { ...stacks, [away]: forth })
    try {
      await rollBackOnFailure(recorder, git, safety, async () => {
        done = await restoreState(repo, git.objects, { target, plan, stage, standing: options.cwdInRepo })
      })
    } catch (error) {
      writeStacks(repo, stacks)
      throw error
    }
    restoreSessions(repo, target.sessions, new Set([...plan.restore, ...plan.remove]))
    report.logs = await undoLogs(recorder, target.logs)
    if (!isPartial) writeStacks(repo, { [direction]: found.rest, [away]: forth } as Stacks)
  })
  return { ...report, ...done }
}

async function keepPresent(
  { recorder, git, direction }: { recorder: Recorder; git: GitSide; direction: Direction },
  target: SafetyStep,
  plan: StatePlan,
  at: Head,
): Promise<SafetyStep> {
  const { repo } = recorder
  const movesHead = plan.head === 'moved' && target.head !== undefined
  const replacesIndex = target.hasIndex && plan.head !== undefined && plan.head !== 'elsewhere'
  const { index, staged } = replacesIndex ? await readIndex(repo) : { index: undefined, staged: [] }
  const shadowTip = target.shadow && (await git.objects.info(target.shadow.ref))?.oid
  const shadow = target.shadow?.after === shadowTip ? target.shadow : undefined
  const sessions = target.sessions.flatMap(({ session }) => readSession(repo, session.id) ?? [])
  return saveSafety(
    { recorder, git, disk: lookAtDisk(repo.root) },
    {
      kind: direction,
      paths: [...plan.restore, ...plan.remove],
      committed: [],
      ...(shadow === undefined ? {} : { shadow: turned(shadow) }),
      // Also when it is there already: what is undone twice must be done again twice.
      ...(target.head === undefined || plan.head === 'elsewhere'
        ? {}
        : { head: movesHead ? turned(target.head) : { ...target.head, before: at.oid, after: at.oid } }),
      sessions: saveSessions(repo, sessions),
      logs: reversed(target.logs),
    },
    { commits: movesHead ? [at.oid] : [], staged, ...given({ index }) },
  )
}

function turned({ ref, before, after }: RefChange): RefChange {
  return { ref, before: after, after: before }
}

function nothingThere(direction: Direction, stacks: Stacks): EntireError {
  if (direction === 'redo')
    return new EntireError('not-found', 'There is no undo to take back.', {
      hint: '`entire rewind --undo` takes a rewind back.',
    })
  return new EntireError('not-found', 'There is no rewind to undo.', {
    hint:
      stacks.redo.length > 0
        ? '`entire rewind --redo` takes the last undo back.'
        : '`entire rewind --list` shows where you can go.',
  })
}
