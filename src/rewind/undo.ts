// Undoes the last rewind or reset, or redoes what was undone, after a safety step has saved the present
// state.

import type { Oid } from '../git/oid.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { readSession } from '../sessions/store.ts'
import { EntireError } from '../std/errors.ts'
import { given } from '../std/given.ts'
import {
  type LockedWorktree,
  type RewindOptions,
  readHeadStatus,
  uninterrupted,
  withLockedWorktree,
} from './locked-worktree.ts'
import {
  type Head,
  headOf,
  planStateRestore,
  replacesIndex,
  restoreState,
  rollBackOnFailure,
  type StatePlan,
  type StateRestored,
  stageState,
} from './restore-state.ts'
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
import { readIndex } from './saved-index.ts'
import { reversed, type UndoneLog, undoLogs } from './saved-log.ts'
import { restoreSessions, saveSessions } from './sessions.ts'
import { openStage } from './write-files.ts'

export interface UndoReport extends StatePlan, StateRestored {
  /** The kind of change that was undone or redone. */
  of: SafetyStep['kind']
  logs: UndoneLog[]
  /** HEAD before that change. */
  base: Oid
  /** HEAD now. */
  at: Head
  /** How a reset had moved the branch. */
  branch?: RefChange
  /** Some paths were skipped: once they are moved away, the same command restores the rest. */
  isPartial: boolean
}

export function undoOrRedo(
  recorder: Recorder,
  direction: Direction,
  options: RewindOptions,
): Promise<UndoReport> {
  return withLockedWorktree(recorder, async (worktree) => {
    const { git } = worktree
    const stacks = await readStacks(recorder.repo)
    const found = await popSafetyStep(git.objects, stacks[direction])
    if (found === undefined) throw options.asRedo ? nothingToRedo() : nothingToUndo(direction, stacks)
    const { target, rest } = found
    const at = headOf((await readHeadStatus(git)).status)
    const plan = await planStateRestore(worktree, target, at)
    const report: UndoReport = {
      ...plan,
      of: target.kind,
      logs: [],
      base: target.base,
      at,
      ...given({ branch: target.head }),
      isPartial: plan.skip.length > 0,
    }
    if (options.dryRun) return report
    const undo: Undo = { direction, stacks, target, rest, at, plan }
    return { ...report, ...(await restoreTarget(worktree, undo, options)) }
  })
}

interface Undo {
  direction: Direction
  stacks: Stacks
  target: SafetyStep
  /** The stack below the target. */
  rest: Oid[]
  at: Head
  plan: StatePlan
}

async function restoreTarget(
  worktree: LockedWorktree,
  undo: Undo,
  { cwdInRepo }: RewindOptions,
): Promise<StateRestored & Pick<UndoReport, 'logs'>> {
  const { recorder } = worktree
  const { repo } = recorder
  const { direction, stacks, target, rest, plan } = undo
  using stage = openStage(repo)
  await stageState(worktree, stage, target, plan)
  const safety = await savePresent(worktree, undo)
  const opposite: Direction = direction === 'undo' ? 'redo' : 'undo'
  const grown = [safety.oid, ...stacks[opposite]]
  return uninterrupted(async () => {
    // The target stays on its stack until all of it is restored, so that the next try finds it.
    writeStacks(repo, { ...stacks, [opposite]: grown })
    let restored: StateRestored = {}
    try {
      await rollBackOnFailure(worktree, safety, async () => {
        restored = await restoreState(worktree, { target, plan, stage, cwdInRepo })
      })
    } catch (error) {
      writeStacks(repo, stacks)
      throw error
    }
    restoreSessions(repo, target.sessions, new Set([...plan.restore, ...plan.remove]))
    const logs = await undoLogs(recorder, target.logs)
    if (plan.skip.length === 0) writeStacks(repo, { [direction]: rest, [opposite]: grown } as Stacks)
    return { ...restored, logs }
  })
}

async function savePresent(
  worktree: LockedWorktree,
  { direction, target, plan, at }: Undo,
): Promise<SafetyStep> {
  const { recorder, git } = worktree
  const { repo } = recorder
  const movesHead = plan.head === 'moved' && target.head !== undefined
  const { index, staged } = replacesIndex(target, plan)
    ? await readIndex(repo)
    : { index: undefined, staged: [] }
  const shadowTip = target.shadow && (await git.objects.info(target.shadow.ref))?.oid
  const shadow = target.shadow?.after === shadowTip ? target.shadow : undefined
  const sessions = target.sessions.flatMap(({ session }) => readSession(repo, session.id) ?? [])
  return saveSafety(
    worktree,
    {
      kind: direction,
      paths: [...plan.restore, ...plan.remove],
      committed: [],
      ...given({ shadow: shadow && swapped(shadow) }),
      // Also when HEAD is there already: what is undone twice must be redone twice.
      ...(target.head === undefined || plan.head === 'elsewhere'
        ? {}
        : { head: movesHead ? swapped(target.head) : { ...target.head, before: at.oid, after: at.oid } }),
      sessions: saveSessions(repo, sessions),
      logs: reversed(target.logs),
    },
    { commits: movesHead ? [at.oid] : [], staged, ...given({ index }) },
  )
}

function swapped({ ref, before, after }: RefChange): RefChange {
  return { ref, before: after, after: before }
}

function nothingToRedo(): EntireError {
  return new EntireError(
    'not-found',
    'There is nothing to redo: everything that was taken back is here again.',
    {
      hint: '`entire undo` takes back the last turn.',
    },
  )
}

function nothingToUndo(direction: Direction, stacks: Stacks): EntireError {
  if (direction === 'redo')
    return new EntireError('not-found', 'There is no undo to reverse.', {
      hint: '`entire rewind --undo` undoes a rewind.',
    })
  return new EntireError('not-found', 'There is no rewind to undo.', {
    hint:
      stacks.redo.length > 0
        ? '`entire rewind --redo` reverses the last undo.'
        : '`entire rewind --list` shows where you can go.',
  })
}
