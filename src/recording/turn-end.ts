// Ends a turn: finds out what it changed and what was said, and saves both as a step.
//
// Everything the step is made of is one value, `TurnEnd`. Its parts are started together and handed on; each
// is awaited where it is needed (ADR 17):
//
//   git status ─────────────────┬─ files changed ──> work tree, redacted lines ─┐
//   transcript: read, redact ───┴────────────────────────────> parse ───────────┤
//   git cat-file: the last step and its tasks ──────────────────────────────────┼─> step ─> state
//   git fast-import: starts, compresses what it is given ───────────────────────┘
//
// A commit that was made during the turn without hooks is adopted first. That changes the session, so the
// event is then opened again with a new `TurnEnd`.

import type { FreshBlob } from '../checkpoints/chunk-store.ts'
import { isInfrastructure } from '../checkpoints/layout.ts'
import { changedAt, isAsStored } from '../checkpoints/snapshot.ts'
import { findTasks, type StepSite, turnAfter } from '../checkpoints/step.ts'
import { stepSubject } from '../checkpoints/step-subject.ts'
import type { TreeChange } from '../git/fast-import.ts'
import type { Oid } from '../git/oid.ts'
import type { Repo } from '../git/repo.ts'
import type { Status } from '../git/status.ts'
import { readTreeEntries } from '../git/tree.ts'
import type { TypedCommand } from '../model/agent.ts'
import { isActive } from '../model/session.ts'
import type { StrategyName } from '../model/settings.ts'
import type { EventWork } from '../sessions/event-work.ts'
import { isOnlyTurn } from '../sessions/live-index.ts'
import type { Division } from '../sessions/other-turns.ts'
import { readPromptFile } from '../sessions/prompts.ts'
import { isProvisional } from '../sessions/provisional-turn.ts'
import { redactTurnTranscript, type TurnTranscript } from '../sessions/transcript.ts'
import {
  captureChanges,
  clockSlackMs,
  findRemoved,
  findTouched,
  hasChanged,
  isNewer,
  toRepoPaths,
} from '../sessions/turn-changes.ts'
import { readTurnStart, type TurnStartState } from '../sessions/turn-start-state.ts'
import { given } from '../std/given.ts'
import { prefetch } from '../std/prefetch.ts'
import { parseTime } from '../std/time.ts'
import {
  dirtyPaths,
  type StepSnapshot,
  saveShadowStep,
  snapshotWorktree,
  stepSiteFor,
  type TurnRecord,
} from './shadow-step.ts'

/** What the end of a turn is made of. Each part is asked for once. */
export class TurnEnd {
  readonly #work: EventWork
  #reading: Promise<TurnTranscript | undefined> | undefined
  #stored: Promise<StepSnapshot> | undefined

  constructor(work: EventWork) {
    this.#work = work
  }

  /** Starts everything side by side. HEAD is most likely where it was when the turn began. */
  prefetch(): void {
    this.#work.prefetch('status', 'objects', 'writes')
    prefetch(this.transcript())
    prefetch(this.#prefetchLastStep())
  }

  /** Nothing is read before the session has a base commit: its id tells how objects are named. */
  async transcript(): Promise<TurnTranscript | undefined> {
    const sampleOid = this.#work.session.baseCommit
    if (sampleOid === '') return undefined
    this.#reading ??= this.#readTranscript(sampleOid)
    return this.#reading
  }

  async #readTranscript(sampleOid: Oid): Promise<TurnTranscript | undefined> {
    const redacted = await redactTurnTranscript({ ...this.#work, sampleOid })
    if (redacted === undefined) return undefined
    await this.#storeBeforeParsing(redacted.blobs)
    return await redacted.parse()
  }

  snapshot(site: StepSite, status: Status): Promise<StepSnapshot> {
    this.#stored ??= snapshotWorktree(this.#work, site, status)
    return this.#stored
  }

  async #prefetchLastStep(): Promise<void> {
    const { objects, session } = this.#work
    const head = session.turnHead ?? session.baseCommit
    if (head === '') return
    const { parent } = await stepSiteFor(this.#work, head)
    if (parent !== undefined) this.#work.writes().prefetchCommit(parent.commit)
    await findTasks(objects, session.id, parent?.commit)
  }

  // When files have changed there will be a step, whatever the transcript says: git compresses it meanwhile.
  async #storeBeforeParsing(blobs: FreshBlob[]): Promise<void> {
    const { recorder, session } = this.#work
    const status = await this.#work.status()
    const before = readTurnStart(recorder.repo, session.id)
    if (before === undefined || !hasChanged(recorder.repo, status, before)) return
    for (const blob of blobs.splice(0)) this.#work.storeBlob(blob)
    if (recorder.settings.strategy !== 'manual-commit') return
    this.#stored = prefetch(this.#storeSnapshot(status, status.head))
    await this.#stored.catch(() => {})
  }

  async #storeSnapshot(status: Status, head: Oid): Promise<StepSnapshot> {
    const work = this.#work
    const snapshot = await snapshotWorktree(work, await stepSiteFor(work, head), status)
    const stored = await work.writes().storeFiles(snapshot.changes)
    const changes = stored.map((change): TreeChange => {
      if (!('content' in change)) return change
      return { path: change.path, mode: change.mode, mark: work.writes().blob(change.content) }
    })
    work.writes().flush()
    return { ...snapshot, changes }
  }
}

/**
 * True when HEAD moved during the turn without a hook: then its commits have been adopted and the session has
 * changed.
 */
export async function adoptUnhookedCommits({ recorder, session, status }: EventWork): Promise<boolean> {
  const { head } = await status()
  if (!isActive(session) || session.turnHead === undefined || head === session.turnHead) return false
  const { adoptCommitsOfTurn } = await import('../commits/adopt.ts')
  await adoptCommitsOfTurn(recorder, session.id, { from: session.turnHead, to: head })
  return true
}

export async function saveStep(work: EventWork, end: TurnEnd): Promise<void> {
  const { recorder, session } = work
  const status = await work.status()
  recorder.trace.mark('status')
  if (session.baseCommit === '') session.baseCommit = session.attributionBase = status.head
  const transcript = await end.transcript()
  recorder.trace.mark('transcript')
  if (transcript !== undefined && transcript.asked.length > 0)
    await (await import('../sessions/taken-back.ts')).takeBackAbandoned(work, transcript)
  const { own: touched, shared } = await findTurnFiles(work, status, transcript)
  if (touched.length === 0 && (await findReverted(work, status, transcript)).length === 0) {
    recorder.say('No files were modified during this session')
    return
  }
  const named = new Set(toRepoPaths(recorder.repo, [...session.turnFiles, ...(transcript?.files ?? [])]))
  session.sharedFiles = [...session.sharedFiles.filter((path) => !named.has(path)), ...shared]
  if (!isOnlyTurn(work.live, session.id)) {
    const { noteForOthers } = await import('../sessions/other-turns.ts')
    work.afterwards.push(() => noteForOthers(work, { own: touched, shared }))
  }
  const command = answeredCommand(work, transcript)?.text
  const turn = { status, head: status.head, transcript, touched, ...given({ command }) }
  await strategies[recorder.settings.strategy](work, end, turn)
}

/** The command that the turn answers; undefined when a prompt began the turn. */
function answeredCommand(
  { recorder, session }: EventWork,
  transcript: TurnTranscript | undefined,
): TypedCommand | undefined {
  return readTurnStart(recorder.repo, session.id) === undefined ? transcript?.typed.at(-1) : undefined
}

// What the work tree holds as the state before the turn does, the turn has left as it was. The transcript may name
// files of an earlier turn that could not be recorded.
async function withoutUntouched(
  work: EventWork,
  head: Oid | undefined,
  touched: string[],
  named: string[],
): Promise<string[]> {
  const { repo } = work.recorder
  const names = new Set(toRepoPaths(repo, named))
  const unnamed = touched.filter((path) => !names.has(path))
  if (head === undefined || unnamed.length === 0) return touched
  const before = await findStateBefore(work, head)
  if (before === undefined) return touched
  const entries = await readTreeEntries(work.objects, before, unnamed)
  return touched.filter((path) => names.has(path) || !isAsStored(repo, path, entries.get(path)))
}

/** A commit with the state before the turn; undefined when other steps or commits were made since. */
async function findStateBefore(work: EventWork, head: Oid): Promise<Oid | undefined> {
  const { recorder, session } = work
  const { parent, moved } = await stepSiteFor(work, head)
  if (moved !== undefined) return undefined
  if (parent !== undefined && session.turnId !== undefined && turnAfter(parent.text) === session.turnId)
    return parent.commit
  const known = readTurnStart(recorder.repo, session.id)?.before
  return known === (parent?.commit ?? head) ? known : undefined
}

/** The files that the agent changed since the turn began. */
export async function findTurnFiles(
  work: EventWork,
  status: Status,
  transcript: TurnTranscript | undefined,
): Promise<Division> {
  const { recorder, session } = work
  const { repo } = recorder
  if (transcript !== undefined && (await isProvisional(work, async () => transcript)))
    return { own: [], shared: [] }
  const start = readTurnStart(repo, session.id)
  const command = answeredCommand(work, transcript)
  const before = start ?? sinceLastEvent(work, status, command)
  const named = [...(command ? [] : session.turnFiles), ...(transcript?.files ?? [])]
  const names = new Set(toRepoPaths(repo, named))
  const isTyped = typedFinder(repo, transcript?.typed ?? [])
  const touched = [
    ...findTouched(repo, status, before, named),
    ...findRemoved(repo, status, before, session.filesTouched),
  ].filter((path) => names.has(path) || !isTyped(path))
  if (work.event.isLate) return { own: touched.filter((path) => names.has(path)), shared: [] }
  const changed = await withoutUntouched(work, status.head, touched, named)
  if (isOnlyTurn(work.live, session.id) && start?.shared === undefined) return { own: changed, shared: [] }
  const { divideFiles } = await import('../sessions/other-turns.ts')
  return await divideFiles({ ...work, sampleOid: session.baseCommit }, changed, names)
}

/**
 * Files that the last step holds and the turn deleted or put back as HEAD has them. Git lists nothing of that, and there
 * is nothing to commit: they are not among the files of the session.
 */
export async function findReverted(
  work: EventWork,
  status: Status & { head: Oid },
  transcript: TurnTranscript | undefined,
): Promise<string[]> {
  const { recorder, session, live } = work
  const { repo, settings } = recorder
  const start = readTurnStart(repo, session.id)
  if (start === undefined || work.event.isLate || settings.strategy !== 'manual-commit') return []
  const here = new Set(dirtyPaths(status))
  const isTyped = typedFinder(repo, transcript?.typed ?? [])
  const stored = live.lastStep?.head === status.head ? Object.keys(live.lastStep.files) : []
  const known = new Set([...start.untracked, ...start.deleted, ...Object.keys(start.dirty ?? {}), ...stored])
  const gone = [...known].filter((path) => !here.has(path) && !isInfrastructure(path) && !isTyped(path))
  if (gone.length === 0 || (await isProvisional(work, async () => transcript))) return []
  const { parent, moved } = await stepSiteFor(work, status.head)
  // What the turn has committed is not lost.
  if (parent === undefined || moved !== undefined) return []
  const entries = await readTreeEntries(work.objects, parent.commit, gone)
  return gone.filter((path) => !isAsStored(repo, path, entries.get(path)))
}

/** Finds the files that changed last while a command ran that the person had typed. */
function typedFinder(repo: Repo, typed: TypedCommand[]): (path: string) => boolean {
  const spans = typed.map(({ from, to }) => [timeOf(from) - clockSlackMs, timeOf(to) + clockSlackMs] as const)
  return (path) => {
    const at = spans.length === 0 ? undefined : changedAt(repo, path)
    return at !== undefined && spans.some(([from, to]) => at >= from && at <= to)
  }
}

function timeOf(text: string): number {
  return parseTime(text)?.getTime() ?? Number.NaN
}

// For a turn whose beginning was not recorded, or that ends twice: files older than the last event are not
// the agent's. In answer to a command, nor are those that are older than its end, nor what was deleted.
function sinceLastEvent(
  { recorder: { repo }, session }: EventWork,
  status: Status,
  command: TypedCommand | undefined,
): TurnStartState | undefined {
  const last = session.turnCount === 0 ? undefined : parseTime(session.lastInteraction)?.getTime()
  const at = command === undefined ? last : timeOf(command.to) + 2 * clockSlackMs
  if (at === undefined) return undefined
  const older = (paths: string[]) => paths.filter((path) => !isNewer(repo, path, at))
  const before = {
    ...status,
    modified: older(status.modified),
    untracked: older(status.untracked),
    deleted: command === undefined ? [] : status.deleted,
  }
  return { at, ...captureChanges(repo, before), position: 0, bytes: 0 }
}

const strategies: Record<StrategyName, (work: EventWork, end: TurnEnd, turn: TurnRecord) => Promise<void>> = {
  'manual-commit': (work, end, turn) => saveShadowStep(work, turn, (site) => end.snapshot(site, turn.status)),
  'auto-commit': async (work, _end, { touched, transcript }) => {
    const { recorder, session, agent } = work
    const spoken = transcript?.prompts.at(-1)
    const reported =
      readPromptFile(recorder.repo, session.id).at(-1) ??
      (spoken && (await recorder.redaction()).text(spoken))
    const subject = stepSubject(reported ?? session.lastPrompt ?? '', agent.type)
    const { commitTurn } = await import('./auto-commit.ts')
    await commitTurn(work, { subject, files: touched, readTranscript: async () => transcript })
  },
}
