// Saves a turn as a step: a commit on the session's shadow branch that holds the work tree and the session's
// metadata.

import { isInfrastructure, sessionDir, shadowRef } from '../checkpoints/layout.ts'
import { describeLeftOut, leftOutChange } from '../checkpoints/left-out.ts'
import { joinPrompts, turnContext } from '../checkpoints/prompt-files.ts'
import {
  findExcess,
  inOrder,
  readSnapshot,
  type Snapshot,
  type UntrackedPaths,
  unchangedFinder,
} from '../checkpoints/snapshot.ts'
import {
  findStepSite,
  type StepMark,
  type StepSite,
  sessionChanges,
  stepMessage,
  writeStep,
} from '../checkpoints/step.ts'
import { stepSubject } from '../checkpoints/step-subject.ts'
import type { FileMode, TreeChange } from '../git/fast-import.ts'
import type { Oid } from '../git/oid.ts'
import { isTracked, type Status } from '../git/status.ts'
import { parentOf, readTreeEntries } from '../git/tree.ts'
import { shortSessionId } from '../model/session.ts'
import { defaultSettings } from '../model/settings.ts'
import type { EventWork, Recorder } from '../sessions/event-work.ts'
import { promptsSinceCheckpoint } from '../sessions/prompts.ts'
import { findStashed, stashedChanges } from '../sessions/stash.ts'
import { type TurnTranscript, useTranscript } from '../sessions/transcript.ts'
import { noteTouched } from '../sessions/turn-notes.ts'
import { settingsPaths } from '../settings/read.ts'

/** What the turn changed and what was said in it. */
export interface TurnRecord {
  status: Status
  head: Oid
  transcript: TurnTranscript | undefined
  touched: string[]
  /** What was typed as a command instead of the last prompt, if the turn answers that. */
  command?: string
}

export async function saveShadowStep(
  work: EventWork,
  turn: TurnRecord,
  takeSnapshot: (site: StepSite) => Promise<StepSnapshot>,
): Promise<void> {
  const { recorder, session } = work
  const { transcript } = turn
  if (transcript !== undefined) useTranscript(work, transcript)
  const site = await stepSiteFor(work, turn.head)
  const isWritten = await writeTurn(work, site, turn, takeSnapshot)
  moveBase(work, site)
  noteTouched(session, turn.touched)
  if (!isWritten && session.stepCount > 0) {
    recorder.say('Skipped step (no changes since the last step)')
    return
  }
  countStep(work, transcript)
  const branch = site.ref.replace('refs/heads/', '')
  recorder.say(
    `Saved step ${session.stepCount} of session ${shortSessionId(session.id)} on branch '${branch}'`,
  )
  const leftOut = work.live.lastStep?.leftOut ?? []
  if (leftOut.length > 0) recorder.say(`[entire] ${describeLeftOut(leftOut)}`)
}

async function writeTurn(
  work: EventWork,
  site: StepSite,
  { transcript, command }: TurnRecord,
  takeSnapshot: (site: StepSite) => Promise<StepSnapshot>,
): Promise<boolean> {
  const { recorder, session } = work
  const config = await work.config()
  const redaction = await recorder.redaction()
  const prompts = await promptsSinceCheckpoint(recorder, session, transcript, work.afterwards)
  const asked = command === undefined ? prompts.at(-1) : redaction.text(command)
  const subject = stepSubject(asked ?? session.lastPrompt ?? '', work.agent.type)
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
    changes: [...snapshot.changes, ...metadata, leftOutChange(snapshot.skipped)],
    isNew: transcript?.isNew ?? false,
  })
  remember(work, site, mark, snapshot)
  return mark !== undefined
}

/** Notes what the step holds. When nothing differed, the last step holds it. */
export function remember(
  work: EventWork,
  site: StepSite,
  mark: StepMark | undefined,
  { files, skipped }: StepSnapshot,
): void {
  const step = mark ?? site.remembered
  if (step !== undefined) work.live.lastStep = { ...step, head: site.head, files, leftOut: skipped }
}

// When nothing was said since the last step, its summary stands.
async function readLastSummary({ objects, session }: EventWork, site: StepSite): Promise<string> {
  const last =
    site.parent && (await objects.contents(`${site.parent.commit}:${sessionDir(session.id)}/summary.txt`))
  return last?.content.toString('utf8') ?? ''
}

/** Where the next step of the session goes. */
export function stepSiteFor(
  { objects, session, live }: Pick<EventWork, 'objects' | 'session' | 'live'>,
  head: string,
): Promise<StepSite> {
  return findStepSite(objects, {
    head,
    ref: shadowRef(head, session.worktreeId),
    oldRef: shadowRef(session.baseCommit, session.worktreeId),
    last: live.lastStep,
  })
}

/** A work tree, compared with the step that the next one builds on. */
export interface StepSnapshot extends Omit<Snapshot, 'signatures'> {
  /** Signatures of everything that may differ from HEAD in the step. */
  files: Record<string, string>
}

/**
 * The work tree as the step stores it: what differs from the tree that the step builds on. Untracked files are
 * left for the next step where more than so many have changed.
 */
export async function snapshotWorktree(
  work: EventWork,
  site: StepSite,
  status: Status,
  { mostUntracked = Number.POSITIVE_INFINITY }: { mostUntracked?: number } = {},
): Promise<StepSnapshot> {
  const { recorder, session } = work
  const { repo } = recorder
  const known = site.remembered?.files ?? {}
  const dirty = dirtyPaths(status)
  const isUnchanged = unchangedFinder(repo, known)
  const differing = dirty.filter((path) => !isUnchanged(path))
  // Attributes change how git stores files that have not changed.
  const changed = differing.some(isAttributes) ? dirty : differing
  const isChanged = new Set(changed)
  const kept = dirty.filter((path) => !isChanged.has(path))
  const untracked = new Set(status.untracked)
  const isNew = (path: string) => untracked.has(path)
  const isOverLimit = changed.filter(isNew).length > mostUntracked
  const read = isOverLimit ? changed.filter((path) => !isNew(path)) : changed
  const excluded = await findExcluded(recorder, { stored: kept.filter(isNew), others: read.filter(isNew) })
  const options = { ...(await work.config()), gone: new Set(status.deleted), excluded }
  const [fresh, reverted, stashed] = await Promise.all([
    readSnapshot(repo, read, options),
    revertedChanges(work, site, Object.keys(known), status),
    findStashed(repo, work.objects, session.filesTouched),
  ])
  const changes = [...fresh.changes, ...reverted]
  const again = await readSnapshot(repo, findBelowReplaced(kept, changes), options)
  for (const path of fresh.skipped)
    recorder.log.write('warn', 'file left out of the step: too large, too much or unreadable', {
      session_id: session.id,
      path,
    })
  const fromStash = stashedChanges(repo, stashed)
  return {
    changes: [...inOrder([...changes, ...again.changes]), ...fromStash],
    skipped: fresh.skipped,
    files: {
      ...Object.fromEntries(kept.map((path) => [path, known[path] ?? ''])),
      ...Object.fromEntries([...fresh.signatures, ...again.signatures]),
      ...Object.fromEntries(fromStash.map(({ path }) => [path, ''])),
    },
  }
}

/**
 * The files that there is no room for. A local file that is committed may be somebody else's: it does not raise the
 * limit. Git is asked only where that matters.
 */
export async function findExcluded(
  { repo, settings }: Pick<Recorder, 'repo' | 'settings'>,
  paths: UntrackedPaths,
): Promise<Set<string>> {
  const [own, usual] = [settings.maxUntrackedBytes, defaultSettings.maxUntrackedBytes]
  const excess = findExcess(repo, paths, Math.min(own, usual))
  const isRaised = excess.size > 0 && own > usual && !(await isTracked(repo, settingsPaths.local))
  return isRaised ? findExcess(repo, paths, own) : excess
}

function isAttributes(path: string): boolean {
  return path === '.gitattributes' || path.endsWith('/.gitattributes')
}

/** Paths that differed from HEAD in the last step and do not any more, or are ignored now: as HEAD has them. */
async function revertedChanges(
  { objects }: EventWork,
  { headTree }: StepSite,
  before: string[],
  status: Status,
): Promise<TreeChange[]> {
  const differing = new Set(dirtyPaths(status))
  const reverted = before.filter((path) => !differing.has(path))
  const entries = await readTreeEntries(objects, headTree, reverted)
  const isBelowFile = belowFinder(new Set([...status.modified, ...status.untracked]))
  return Promise.all(
    reverted.map(async (path): Promise<TreeChange> => {
      const entry = isBelowFile(path) ? undefined : entries.get(path)
      if (entry !== undefined) return { path, mode: entry.mode as FileMode, oid: entry.oid }
      // A directory that was replaced by a file or a link is back.
      const found = await objects.info(`${headTree}:${path}`)
      return found?.type === 'tree' ? { path, mode: '040000', oid: found.oid } : { path, deleted: true }
    }),
  )
}

// Deleting or replacing a directory takes what is below it along.
function findBelowReplaced(paths: string[], changes: TreeChange[]): string[] {
  const replaced = changes.filter((change) => 'deleted' in change || change.mode === '040000')
  return replaced.length === 0 ? [] : paths.filter(belowFinder(new Set(replaced.map(({ path }) => path))))
}

function belowFinder(dirs: ReadonlySet<string>): (path: string) => boolean {
  return (path) => {
    for (let dir = parentOf(path); dir !== ''; dir = parentOf(dir)) if (dirs.has(dir)) return true
    return false
  }
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
