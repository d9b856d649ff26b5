// The end of a turn: snapshot what changed as a step on the shadow branch.

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
import type { Status } from '../git/status.ts'
import { differingPaths } from '../git/tree-diff.ts'
import type { StrategyName } from '../model/settings.ts'
import { promptsSinceCheckpoint, readPromptFile } from '../sessions/prompts.ts'
import { isProvisional } from '../sessions/provisional-turn.ts'
import { findStashed, stashedChanges } from '../sessions/stash.ts'
import { turnTranscript, useTranscript } from '../sessions/transcript.ts'
import { captureChanges, findRemoved, findTouched, isNewer } from '../sessions/turn-changes.ts'
import { readTurnStart, type TurnStartState } from '../sessions/turn-start-state.ts'
import type { EventWork, TurnTranscript } from '../sessions/work.ts'
import { parseTime } from '../std/time.ts'

export async function saveStep(work: EventWork): Promise<void> {
  const { recorder, session } = work
  const status = await work.status()
  recorder.trace.mark('status')
  if (status.head === undefined) {
    recorder.say('Entire: skipping checkpoint. Will activate after first commit.')
    return
  }
  if (session.baseCommit === '') session.baseCommit = session.attributionBase = status.head
  const transcript = await turnTranscript(work, status.head)
  recorder.trace.mark('transcript')
  const touched = await findTurnFiles(work, status, transcript)
  if (touched.length === 0) {
    recorder.say('No files were modified during this session')
    return
  }
  await strategies[recorder.settings.strategy](work, { status, head: status.head, transcript, touched })
}

/** What changed since the turn began, as far as it is the agent's. */
export async function findTurnFiles(
  work: EventWork,
  status: Status,
  transcript: TurnTranscript | undefined,
): Promise<string[]> {
  const { recorder, session } = work
  if (transcript !== undefined && (await isProvisional(work))) return []
  const before = readTurnStart(recorder.repo, session.id) ?? sinceLastEvent(work, status)
  return [
    ...findTouched(recorder.repo, status, before, [...session.turnFiles, ...(transcript?.files ?? [])]),
    ...findRemoved(recorder.repo, status, before, session.filesTouched),
  ]
}

// A turn whose beginning we did not see, or that ends twice: what nobody changed since the last event is not the agent's.
function sinceLastEvent(
  { recorder: { repo }, session }: EventWork,
  status: Status,
): TurnStartState | undefined {
  const at = session.turnCount === 0 ? undefined : parseTime(session.lastInteraction)?.getTime()
  if (at === undefined) return undefined
  const older = (paths: string[]) => paths.filter((path) => !isNewer(repo, path, at))
  const before = {
    ...status,
    modified: older(status.modified),
    untracked: older(status.untracked),
    deleted: [],
  }
  return { at, ...captureChanges(repo, before), position: 0, bytes: 0 }
}

interface Turn {
  status: Status
  head: string
  transcript: TurnTranscript | undefined
  touched: string[]
}

const strategies: Record<StrategyName, (work: EventWork, turn: Turn) => Promise<void>> = {
  'manual-commit': saveOnShadowBranch,
  'auto-commit': async (work, { touched, transcript }) => {
    const { recorder, session } = work
    const said = transcript?.prompts.at(-1)
    const told =
      readPromptFile(recorder.repo, session.id).at(-1) ?? (said && (await recorder.redaction()).text(said))
    const prompt = told ?? session.lastPrompt ?? ''
    const { commitTurn } = await import('./auto-commit.ts')
    await commitTurn(work, { subject: stepSubject(prompt, work.agent.type), files: touched })
  },
}

async function saveOnShadowBranch(
  work: EventWork,
  { status, head, transcript, touched }: Turn,
): Promise<void> {
  const { recorder, session } = work
  if (transcript !== undefined) useTranscript(work, transcript)
  const site = await stepSiteFor(work, head)
  const written = await writeTurn(work, site, status, transcript)
  moveBase(work, site)
  session.lastStepAt = status.at
  session.filesTouched = [...new Set([...session.filesTouched, ...touched])].sort()
  if (!written && session.stepCount > 0) {
    recorder.say('Skipped checkpoint (no changes since last checkpoint)')
    return
  }
  countStep(work, transcript)
  const branch = site.ref.replace('refs/heads/', '')
  recorder.say(
    site.parent === undefined
      ? `Created shadow branch '${branch}' and committed changes`
      : `Committed changes to shadow branch '${branch}'`,
  )
}

async function writeTurn(
  work: EventWork,
  site: StepSite,
  status: Status,
  transcript: TurnTranscript | undefined,
): Promise<boolean> {
  const { recorder, session } = work
  const config = await work.config()
  const redaction = await recorder.redaction()
  const spoken = await promptsSinceCheckpoint(recorder, session, transcript, work.afterwards)
  const subject = stepSubject(spoken.at(-1) ?? session.lastPrompt ?? '', work.agent.type)
  const isSilent = (transcript?.summary ?? '') === '' && (transcript?.prompts ?? []).length === 0
  const summary = isSilent ? await readLastSummary(work, site) : redaction.text(transcript?.summary ?? '')
  recorder.trace.mark('redact')
  const snapshot = await (work.snapshot ?? snapshotWorkTree(work, site, status))
  recorder.trace.mark('snapshot')
  const metadata = await sessionChanges(work.objects, session.id, site.parent?.commit, {
    transcript: session.cursor,
    prompts: joinPrompts(spoken),
    summary,
    context: turnContext({ session: session.id, subject, prompts: spoken, summary }),
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

// Nothing was said since the last step: its summary stands.
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

/** The session's steps are now on the branch for HEAD; the old branch goes unless another session still builds on it. */
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
      `Moved shadow branch from ${site.moved.ref} to ${site.ref} (HEAD changed during session)`,
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

// A step holds the whole work tree, as it is: what differs from the tree the step builds on.

export async function snapshotWorkTree(work: EventWork, site: StepSite, status: Status): Promise<Snapshot> {
  const { recorder, session } = work
  const paths = await findPaths(work, site, status)
  const snapshot = await readSnapshot(recorder.repo, paths, await work.config())
  for (const path of snapshot.skipped)
    recorder.log.write('warn', 'file left out of the step: too large or unreadable', {
      session_id: session.id,
      path,
    })
  const stashed = await findStashed(recorder.repo, work.objects, session.filesTouched)
  return { ...snapshot, changes: [...snapshot.changes, ...stashedChanges(stashed)] }
}

export function dirtyPaths(status: Status): string[] {
  return [...status.deleted, ...status.modified, ...status.untracked].filter(
    (path) => !isInfrastructure(path),
  )
}

async function findPaths(
  { recorder, session, objects, live }: EventWork,
  site: StepSite,
  status: Status,
): Promise<string[]> {
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
