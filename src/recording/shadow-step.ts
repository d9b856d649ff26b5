// Saves a turn as a step: a commit on the session's shadow branch that holds the work tree and the session's
// metadata.

import { isInfrastructure, sessionDir, shadowRef } from '../checkpoints/layout.ts'
import { joinPrompts, turnContext } from '../checkpoints/prompt-files.ts'
import { readSnapshot, type Snapshot } from '../checkpoints/snapshot.ts'
import {
  findStepSite,
  isStep,
  type StepSite,
  sessionChanges,
  startsFresh,
  stepMessage,
  writeStep,
} from '../checkpoints/step.ts'
import { stepSubject } from '../checkpoints/step-subject.ts'
import type { Oid } from '../git/oid.ts'
import type { Status } from '../git/status.ts'
import { differingPaths } from '../git/tree-diff.ts'
import type { EventWork } from '../sessions/event-work.ts'
import { promptsSinceCheckpoint } from '../sessions/prompts.ts'
import { findStashed, stashedChanges } from '../sessions/stash.ts'
import { type TurnTranscript, useTranscript } from '../sessions/transcript.ts'
import { isNewer } from '../sessions/turn-changes.ts'

/** What the turn changed and what was said in it. */
export interface TurnRecord {
  status: Status
  head: Oid
  transcript: TurnTranscript | undefined
  touched: string[]
}

export async function saveShadowStep(
  work: EventWork,
  turn: TurnRecord,
  takeSnapshot: (site: StepSite) => Promise<Snapshot>,
): Promise<void> {
  const { recorder, session } = work
  const { status, transcript } = turn
  if (transcript !== undefined) useTranscript(work, transcript)
  const site = await stepSiteFor(work, turn.head)
  const isWritten = await writeTurn(work, site, turn, takeSnapshot)
  moveBase(work, site)
  session.lastStepAt = status.at
  session.filesTouched = [...new Set([...session.filesTouched, ...turn.touched])].sort()
  if (!isWritten && session.stepCount > 0) {
    recorder.say('Skipped step (no changes since the last step)')
    return
  }
  countStep(work, transcript)
  const branch = site.ref.replace('refs/heads/', '')
  recorder.say(`Saved step ${session.stepCount} of session ${session.id.slice(0, 8)} on branch '${branch}'`)
}

async function writeTurn(
  work: EventWork,
  site: StepSite,
  { status, transcript }: TurnRecord,
  takeSnapshot: (site: StepSite) => Promise<Snapshot>,
): Promise<boolean> {
  const { recorder, session } = work
  const config = await work.config()
  const redaction = await recorder.redaction()
  const prompts = await promptsSinceCheckpoint(recorder, session, transcript, work.afterwards)
  const subject = stepSubject(prompts.at(-1) ?? session.lastPrompt ?? '', work.agent.type)
  const isSilent = (transcript?.summary ?? '') === '' && (transcript?.prompts ?? []).length === 0
  const summary = isSilent ? await readLastSummary(work, site) : redaction.text(transcript?.summary ?? '')
  recorder.trace.mark('redact')
  const snapshot = await takeSnapshot(site)
  recorder.trace.mark('snapshot')
  const metadata = await sessionChanges(work.objects, session.id, site.parent?.commit, {
    transcript: session.cursor,
    prompts: joinPrompts(prompts),
    summary,
    context: turnContext({ session: session.id, subject, prompts, summary }),
  })
  const mark = await writeStep(work.objects, work.writes(), {
    site,
    message: stepMessage(subject, session.id, 'manual-commit'),
    author: config.author,
    seconds: Math.floor(recorder.clock().getTime() / 1000),
    changes: [...snapshot.changes, ...metadata],
    isNew: transcript?.isNew ?? false,
  })
  if (mark !== undefined) work.live.lastStep = { ...mark, dirty: dirtyPaths(status) }
  return mark !== undefined
}

// When nothing was said since the last step, its summary stands.
async function readLastSummary({ objects, session }: EventWork, site: StepSite): Promise<string> {
  const last =
    site.parent && (await objects.contents(`${site.parent.commit}:${sessionDir(session.id)}/summary.txt`))
  return last?.content.toString('utf8') ?? ''
}

/** Where the next step of the session goes. */
export function stepSiteFor(
  { objects, session }: Pick<EventWork, 'objects' | 'session'>,
  head: string,
): Promise<StepSite> {
  return findStepSite(objects, {
    head,
    ref: shadowRef(head, session.worktreeId),
    oldRef: shadowRef(session.baseCommit, session.worktreeId),
    isFirst: session.lastStepAt === undefined,
  })
}

/** The work tree as the step stores it: what differs from the tree that the step builds on. */
export async function snapshotWorktree(work: EventWork, site: StepSite, status: Status): Promise<Snapshot> {
  const { recorder, session } = work
  const paths = await findChangedPaths(work, site, status)
  const snapshot = await readSnapshot(recorder.repo, paths, await work.config())
  for (const path of snapshot.skipped)
    recorder.log.write('warn', 'file left out of the step: too large or unreadable', {
      session_id: session.id,
      path,
    })
  const stashed = await findStashed(recorder.repo, work.objects, session.filesTouched)
  return { ...snapshot, changes: [...snapshot.changes, ...stashedChanges(stashed)] }
}

async function findChangedPaths(
  { recorder, session, objects, live }: EventWork,
  site: StepSite,
  status: Status,
): Promise<string[]> {
  const dirty = dirtyPaths(status)
  if (startsFresh(site) || site.parent === undefined) return dirty
  // A file that differed from HEAD in the last step and is clean now was reverted: the step must say so.
  const known = new Set(dirty)
  const differing =
    live.lastStep !== undefined && isStep(site.parent.text, live.lastStep)
      ? live.lastStep.dirty
      : await differingPaths(objects, site.headTree, site.parent.tree, isInfrastructure)
  const reverted = differing.filter((path) => !known.has(path))
  // A file that this session stored before and that has not changed since is in the tree already.
  const gone = new Set(status.deleted)
  const since = session.lastStepAt ?? 0
  return [...dirty.filter((path) => gone.has(path) || isNewer(recorder.repo, path, since)), ...reverted]
}

export function dirtyPaths(status: Status): string[] {
  return [...status.deleted, ...status.modified, ...status.untracked].filter(
    (path) => !isInfrastructure(path),
  )
}

/**
 * The session's steps are now on the branch for HEAD; the old branch goes unless another session builds on
 * it.
 */
export function moveBase(
  work: Pick<EventWork, 'session' | 'live' | 'writes' | 'recorder'>,
  site: StepSite,
): void {
  const { session } = work
  const others = [...work.live.sessions].filter(
    ([id, entry]) => id !== session.id && entry.files.length > 0 && entry.base === session.baseCommit,
  )
  if (site.moved !== undefined && others.length === 0) {
    work.writes().deleteRef(site.moved.ref, site.moved.commit)
    work.recorder.say(
      `Moved the steps from ${site.moved.ref} to ${site.ref} (HEAD changed during the session)`,
    )
  }
  session.baseCommit = site.head
}

function countStep({ session }: EventWork, transcript: TurnTranscript | undefined): void {
  session.stepCount += 1
  session.promptAttributions.push(session.pendingAttribution ?? emptyAttribution(session.stepCount))
  delete session.pendingAttribution
  if (session.stepCount === 1 && transcript?.lastId !== undefined)
    session.transcriptIdAtStart = transcript.lastId
}

function emptyAttribution(number: number) {
  return { number, userAdded: 0, userRemoved: 0, agentAdded: 0, agentRemoved: 0, userAddedPerFile: {} }
}
