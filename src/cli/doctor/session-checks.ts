// Checks sessions: stuck, waiting for a commit, or with a checkpoint that was never completed.

import { branchName } from '../../checkpoints/layout.ts'
import { discard, emptyPlan } from '../../cleanup/clean.ts'
import { condenseStuck } from '../../cleanup/condense-stuck.ts'
import { findUncommitted, type Inventory, readInventory, shadowsOf } from '../../cleanup/inventory.ts'
import { isActive, type Session } from '../../model/session.ts'
import { completeTurn, findUnsaved, isStuck, whyStuck } from '../../recording/dead-turn.ts'
import { keptRefDays } from '../../sessions/kept-refs.ts'
import { worktreeOf } from '../../sessions/worktrees.ts'
import { countOf } from '../../std/plural.ts'
import { planNamed } from '../clean/report.ts'
import { clean } from '../render/text.ts'
import type { DoctorRun, Finding, Remedy } from './finding.ts'

const mostNamed = 10

export async function checkStuck(run: DoctorRun): Promise<Finding[]> {
  const { sessions, shadows } = await run.inventory()
  const refs = new Set(shadows.map(({ ref }) => ref))
  const ended = sessions.filter(
    (session) =>
      session.phase === 'ended' && session.stepCount > 0 && shadowsOf(session).some((ref) => refs.has(ref)),
  )
  const waiting = await findWaiting(run, ended)
  const filesOf = (session: Session) =>
    session.filesTouched.filter((path) => waiting.get(session.worktreeId)?.has(path))
  const stuck = sessions.flatMap((session) => {
    const isOver = ended.includes(session) && filesOf(session).length === 0
    const reason =
      whyStuck(session, run.now) ?? (isOver ? 'ended with steps that no checkpoint holds' : undefined)
    return reason === undefined ? [] : [stuckFinding(run, session, reason)]
  })
  const later = ended
    .map((session) => ({ id: session.id, files: filesOf(session) }))
    .filter(({ files }) => files.length > 0)
  return [...(await Promise.all(stuck)), ...(later.length === 0 ? [] : [waitingFinding(later)])]
}

// Runs git once for each work tree, with the files of all its sessions.
async function findWaiting({ repo }: DoctorRun, sessions: Session[]): Promise<Map<string, Set<string>>> {
  const groups = Map.groupBy(sessions, (session) => session.worktreeId)
  const found = [...groups].map(async ([id, group]): Promise<[string, Set<string>]> => {
    const files = [...new Set(group.flatMap((session) => session.filesTouched))]
    return [id, new Set(await findUncommitted(worktreeOf(repo, { worktreeId: id }), files))]
  })
  return new Map(await Promise.all(found))
}

// The usual case: the agent was closed before the commit, and the commit will include the steps.
function waitingFinding(sessions: { id: string; files: string[] }[]): Finding {
  const lines = sessions.slice(0, mostNamed).map(({ id, files }) => `${id}: ${shortList(files)}`)
  return {
    id: 'waiting-sessions',
    severity: 'info',
    title: `Waiting for your next commit: ${countOf(sessions.length, 'ended session')}.`,
    detail: [...lines, ...(sessions.length > mostNamed ? [`… and ${sessions.length - mostNamed} more`] : [])],
    fix: 'Commit the files, or give up a session with `entire reset --session <id>`.',
    remedies: [],
  }
}

function shortList(files: string[]): string {
  return `${files.slice(0, 3).map(clean).join(', ')}${files.length > 3 ? ', …' : ''}`
}

async function stuckFinding(run: DoctorRun, session: Session, reason: string): Promise<Finding> {
  const { shadows } = await run.inventory()
  const branch = shadows.find(({ ref }) => shadowsOf(session).includes(ref))
  const unsaved = await findUnsaved(run.recorder, session)
  const hasSteps =
    branch !== undefined &&
    session.stepCount > 0 &&
    (await run.recorder.findAgentByType(session.agentType)) !== undefined
  const canSave = hasSteps || unsaved.length > 0
  return {
    id: 'stuck-session',
    subject: session.id,
    severity: 'warning',
    title: `Session ${session.id} is stuck: ${reason}.`,
    detail: [
      `Session: ${session.id}`,
      `Phase: ${session.phase}`,
      `Reason: ${reason}`,
      ...(session.agentType === '' ? [] : [`Agent: ${session.agentType}`]),
      ...(session.lastInteraction === undefined ? [] : [`Last interaction: ${session.lastInteraction}`]),
      `Shadow branch: ${branch === undefined ? 'not found' : `exists (${branchName(branch.ref)})`}`,
      `Steps: ${session.stepCount}, Files touched: ${session.filesTouched.length}`,
      ...(unsaved.length === 0 ? [] : [`Changed by the turn that never ended: ${shortList(unsaved)}`]),
    ],
    fix: canSave
      ? '`entire doctor --force` saves it as a checkpoint.'
      : `\`entire doctor --force\` discards it; it is kept for ${keptRefDays} days.`,
    remedies: [...(canSave ? [saveRemedy(run, session)] : []), discardRemedy(run, session)],
  }
}

function saveRemedy({ recorder }: DoctorRun, session: Session): Remedy {
  return {
    label: 'Save as a checkpoint',
    async apply() {
      const checkpoint = await condenseStuck(recorder, session)
      return [
        `Saved session ${session.id} as checkpoint ${checkpoint}`,
        `No commit names that checkpoint: entire explain -c ${checkpoint} shows it.`,
      ]
    },
  }
}

function discardRemedy({ recorder }: DoctorRun, session: Session): Remedy {
  return {
    label: 'Discard',
    async apply() {
      const plan = (found: Inventory) =>
        isActiveAgain(found.sessions, session.id, recorder.clock())
          ? emptyPlan()
          : planNamed(found, session.id)
      await discard(recorder, 'doctor', plan(await readInventory(recorder.repo)), plan)
      return [
        `Discarded session ${session.id}`,
        `It is kept for ${keptRefDays} days: entire clean --undo restores it.`,
      ]
    },
  }
}

// The user may have continued the session while the question was open.
function isActiveAgain(sessions: Session[], id: string, now: Date): boolean {
  const session = sessions.find((candidate) => candidate.id === id)
  return session !== undefined && isActive(session) && !isStuck(session, now)
}

/** Finds checkpoints of commits made during a turn whose end, which completes them, was never reported. */
export async function checkProvisional(run: DoctorRun): Promise<Finding[]> {
  const { sessions } = await run.inventory()
  const left = sessions.filter(
    (session) => session.turnCheckpoints.length > 0 && (!isActive(session) || isStuck(session, run.now)),
  )
  return left.map((session): Finding => {
    const ids = session.turnCheckpoints.map(clean).join(', ')
    const isKnown = run.recorder.agentCards().some(({ type }) => type === session.agentType)
    const remedy: Remedy = {
      label: 'Complete it with the current transcript',
      apply: async () => [`Completed ${(await completeTurn(run.recorder, session.id)).join(', ')}`],
    }
    return {
      id: 'provisional-checkpoint',
      subject: session.id,
      severity: 'warning',
      title: `The turn that made ${ids} never ended, so the stored transcript stops at the commit.`,
      detail: [`Session: ${session.id}`, `Agent: ${session.agentType}`],
      fix: isKnown
        ? '`entire doctor --force` completes it.'
        : `Use a version of entire that knows the agent "${session.agentType}".`,
      remedies: isKnown ? [remedy] : [],
    }
  })
}
