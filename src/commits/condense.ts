// Condenses the sessions of a commit into its checkpoint, and finds what each of them has left to commit.

import { attribute, countableText } from '../checkpoints/attribution.ts'
import { branchName, isInfrastructure, shadowRef } from '../checkpoints/layout.ts'
import { checkpointContext, joinPrompts, splitPrompts } from '../checkpoints/prompt-files.ts'
import { readPrompts, readSlots } from '../checkpoints/slots.ts'
import { worktreeOid } from '../checkpoints/snapshot.ts'
import { findAgentStep } from '../checkpoints/step.ts'
import { prefetchCheckpointParent, type SessionPart, writeCheckpoint } from '../checkpoints/write.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { CommitInfo } from '../git/commit.ts'
import type { Repo } from '../git/repo.ts'
import type { ChangedFile } from '../git/tree-diff.ts'
import type { Attribution, SessionRecord } from '../model/checkpoint.ts'
import { isActive, type Session, shortSessionId } from '../model/session.ts'
import { addTokens, noTokens } from '../model/tokens.ts'
import { type Recorder, writeContext } from '../sessions/event-work.ts'
import type { GitSession } from '../sessions/git-session.ts'
import { isOnlyTurn, readLive } from '../sessions/live-index.ts'
import { decide } from '../sessions/machine.ts'
import { divideFiles } from '../sessions/other-turns.ts'
import { clearPrompts, promptsSinceCheckpoint, readPromptFile, writePrompts } from '../sessions/prompts.ts'
import {
  digestSessionTranscript,
  readTurnTranscript,
  type TurnTranscript,
  useTranscript,
} from '../sessions/transcript.ts'
import { findCommittedByTurn, toRepoPaths } from '../sessions/turn-changes.ts'
import { keepTurns, noteTouched, promptsLeft, type SplitTurns, splitTurns } from '../sessions/turn-notes.ts'
import { given } from '../std/given.ts'
import { prefetch } from '../std/prefetch.ts'
import { formatTime } from '../std/time.ts'
import { queueForPush } from '../sync/queue.ts'
import { carryForward } from './carry-forward.ts'
import type { Committer, CommittingSession } from './find-sessions.ts'

/** A commit on its way to a checkpoint. */
export interface CommitUnderway {
  recorder: Recorder
  git: GitSession
  commit: CommitInfo
  checkpoint: string
  committer: Committer
  /** Run once refs and states are written. */
  afterwards: (() => void | Promise<void>)[]
  /** The commit was amended and keeps its checkpoint. */
  amends?: boolean
  /** Set when the commit holds the task of a subagent. */
  task?: { toolUse: string; files: { path: string; content: Buffer }[] }
}

/** Writes all sessions in one import. Changes their states, which the caller saves. */
export async function condenseSessions(
  underway: CommitUnderway,
  candidates: CommittingSession[],
): Promise<void> {
  const { recorder, git, checkpoint } = underway
  const recorded = underway.amends === true ? await readRecordedFiles(git.objects, checkpoint) : []
  const everyone = new Set([...candidates.flatMap(({ session }) => session.filesTouched), ...recorded])
  const shares = shareOut(recorder, underway.commit, everyone)
  prefetch(prefetchCheckpointParent(git.objects, git.writes(), checkpoint))
  const parts = await Promise.all(candidates.map((candidate) => describePart(underway, candidate, shares)))
  await writeCheckpoint(await writeContext({ recorder, ...git }), checkpoint, parts)
  queueForPush(recorder.repo, checkpoint)
  const left = await carryForward(
    underway,
    candidates.map(({ session }) => session),
  )
  for (const [index, { session }] of candidates.entries()) {
    recorder.say(
      `[entire] Saved session ${shortSessionId(session.id)} in checkpoint ${checkpoint} (steps: ${session.stepCount})`,
    )
    settle(underway, session, left.get(session.id) ?? [])
    if (session.turnCheckpoints.length > 0) session.turnTokens = parts[index]?.record.tokens ?? noTokens
  }
}

/** What one session brings to the checkpoint of a commit. */
export async function describePart(
  underway: CommitUnderway,
  candidate: CommittingSession,
  shares: Shares,
): Promise<SessionPart> {
  const { recorder, git, commit, checkpoint } = underway
  const { session } = candidate
  const request = { recorder, agent: candidate.agent, session, objects: git.objects, sampleOid: commit.oid }
  // A transcript that is behind is being read by another process, which completes the checkpoint.
  const isBehind = session.cursor?.behind !== undefined
  const transcript = await (candidate.readTranscript?.() ??
    (isBehind ? undefined : readTurnTranscript(request)))
  if (isActive(session) && transcript !== undefined && transcript.asked.length > 0) {
    const { takeBackAbandoned } = await import('../sessions/taken-back.ts')
    await takeBackAbandoned({ recorder, objects: git.objects, session }, transcript)
  }
  const all = await promptsSinceCheckpoint(recorder, session, transcript, underway.afterwards)
  await noteMidTurnFiles(underway, session, transcript)
  if (transcript !== undefined) useTranscript({ session, storeBlob: git.storeBlob }, transcript)
  const [contentHash, attribution] = await Promise.all([
    digestSessionTranscript({ ...request, storeBlob: git.storeBlob }),
    attributeCommit(underway, session, shares),
  ])
  const { tokens, ownPrompts } = splitSession(underway, session)
  const prompts = ownPrompts(all)
  const [branch] = await safeNames(recorder, commit.branch === undefined ? [] : [commit.branch])
  const part: SessionPart = {
    record: {
      cliVersion: recorder.cliVersion,
      checkpoint,
      session: session.id,
      strategy: recorder.settings.strategy,
      createdAt: formatTime(recorder.clock()),
      ...given({ branch }),
      steps: session.stepCount,
      files: await safeNames(recorder, session.filesTouched),
      ...given({ sharedFiles: await sharedNames(recorder, session) }),
      agent: session.agentType,
      ...given({ model: session.model }),
      ...given({ turnId: session.turnId }),
      ...given({ isTask: underway.task && true, toolUse: underway.task?.toolUse }),
      ...given({ transcriptIdAtStart: session.transcriptIdAtStart }),
      transcriptStart: session.transcriptStart,
      ...given({ tokens }),
      ...given({ attribution }),
      ...homeRelative(session.transcriptPath, recorder.home),
      ...given({ redactions: session.cursor?.redactions }),
    },
    chunks: session.cursor?.chunks ?? [],
    contentHash,
    prompts: joinPrompts(prompts),
    context: checkpointContext(prompts),
    ...(recorder.settings.strategy === 'manual-commit'
      ? { shadow: branchName(shadowRef(session.baseCommit, session.worktreeId)) }
      : {}),
    ...given({ files: underway.task?.files }),
  }
  return underway.amends === true ? addToRecorded(git.objects, part) : part
}

/** Long enough for a token of a known format, or an address. Most commits have no such name. */
const mayHoldSecret = /[A-Za-z0-9_-]{20,}|[:=@]/

async function safeNames({ redaction }: Recorder, names: string[]): Promise<string[]> {
  return names.some((name) => mayHoldSecret.test(name)) ? names.map((await redaction()).name) : names
}

async function sharedNames(recorder: Recorder, session: Session): Promise<string[] | undefined> {
  const shared = session.filesTouched.filter((path) => session.sharedFiles.includes(path))
  return shared.length === 0 ? undefined : await safeNames(recorder, shared)
}

// In the middle of a turn no step names the agent's files yet: its transcript does. What its commands changed, the
// state before the turn shows. Of the agent's own commit, all files count that are not another session's.
async function noteMidTurnFiles(
  { recorder, git: { objects }, commit, committer }: CommitUnderway,
  session: Session,
  transcript: TurnTranscript | undefined,
): Promise<void> {
  const { repo } = recorder
  if (!isActive(session))
    return noteTouched(session, await findUnreported({ repo, objects, commit }, transcript))
  const live = readLive(repo)
  const committed = new Set(commit.files.map((file) => file.path))
  const work = new Set([...committed].filter((path) => !isOurs(recorder, path)))
  const named = new Set(toRepoPaths(repo, [...session.turnFiles, ...(transcript?.files ?? [])]))
  const isMerge = commit.parents.length > 1
  const changed = isMerge ? [] : await findCommittedByTurn({ repo, objects, session }, commit.files)
  const others = [...live.sessions].flatMap(([id, { files }]) => (id === session.id ? [] : files))
  const rest = committer.session === session.id ? work.difference(new Set(others)) : []
  const candidates = [...new Set([...committed.intersection(named), ...changed, ...rest])]
  const { own, shared } = isOnlyTurn(live, session.id)
    ? { own: candidates, shared: [] }
    : await divideFiles({ recorder, objects, session, live, sampleOid: commit.oid }, candidates, named)
  const isAny = session.filesTouched.length > 0 || own.length > 0
  noteTouched(session, isAny ? own : [...work])
  session.sharedFiles = [...session.sharedFiles.filter((path) => !named.has(path)), ...shared]
}

/** Files of a turn whose beginning was not reported: the transcript names them, and nothing reads it again. */
async function findUnreported(
  { repo, objects, commit }: { repo: Repo; objects: ObjectReader; commit: CommitInfo },
  transcript: TurnTranscript | undefined,
): Promise<string[]> {
  const named = toRepoPaths(repo, transcript?.files ?? [])
  const stored = await Promise.all(named.map((path) => objects.info(`${commit.oid}:${path}`)))
  const committed = new Set(commit.files.map(({ path }) => path))
  return named.filter(
    (path, index) => committed.has(path) || worktreeOid(repo, path, commit.oid) !== stored[index]?.oid,
  )
}

function splitSession({ commit }: Pick<CommitUnderway, 'commit'>, session: Session): SplitTurns {
  return splitTurns(session, new Set(commit.files.map(({ path }) => path)))
}

function settle(underway: CommitUnderway, session: Session, left: string[]): void {
  const { recorder, commit, checkpoint } = underway
  const wasActive = isActive(session)
  keepTurns(session, left, splitSession(underway, session))
  session.phase = decide(session.phase, 'git-commit').phase
  session.baseCommit = commit.oid
  session.attributionBase = commit.oid
  session.turnHead = commit.oid
  session.promptAttributions = []
  delete session.pendingAttribution
  session.filesTouched = left
  session.stepCount = left.length > 0 ? 1 : 0
  const behind = session.cursor?.behind
  if (left.length > 0) delete session.lastCheckpoint
  else session.lastCheckpoint = checkpoint
  session.fullyCondensed = session.phase === 'ended' && left.length === 0
  // The rest of the transcript is added when the turn ends, and when it is caught up with.
  if (wasActive || behind !== undefined)
    session.turnCheckpoints = [...new Set([...session.turnCheckpoints, checkpoint])]
  if (!wasActive) {
    session.lastInteraction = formatTime(recorder.clock())
    if (left.length > 0)
      underway.afterwards.push(() =>
        writePrompts(
          recorder.repo,
          session.id,
          promptsLeft(session, readPromptFile(recorder.repo, session.id)),
        ),
      )
    else if (behind === undefined) underway.afterwards.push(() => clearPrompts(recorder.repo, session.id))
  }
}

function homeRelative(path: string | undefined, home: string): { transcriptPath?: string } {
  return path?.startsWith(`${home}/`) ? { transcriptPath: path.slice(home.length + 1) } : {}
}

// Lines are counted in files that people write: larger ones are generated, and more than this many are a
// vendored tree.
const maxBytes = 1024 * 1024
const maxFiles = 500

/** The files of a commit, divided once for all its sessions. */
export interface Shares {
  files: ReadonlyMap<string, ChangedFile>
  /** Files that any session touched. */
  touched: ReadonlySet<string>
  /** Files that no session touched. */
  others: ChangedFile[]
}

export function shareOut(
  recorder: Recorder,
  commit: Pick<CommitInfo, 'files'>,
  touched: Set<string>,
): Shares {
  const files = commit.files.slice(0, maxFiles)
  return {
    files: new Map(files.map((file) => [file.path, file])),
    touched,
    others: files.filter(({ path }) => !touched.has(path) && !isOurs(recorder, path)),
  }
}

// What `enable` wrote is neither the person's work nor an agent's, unless a session has touched it.
function isOurs({ agentCards }: Recorder, path: string): boolean {
  return isInfrastructure(path) || agentCards().some(({ hookFiles }) => hookFiles?.includes(path))
}

/** Reads the three states of every file of a commit, and measures who wrote it. */
async function attributeCommit(
  { recorder, git }: Pick<CommitUnderway, 'recorder' | 'git'>,
  session: Session,
  { files, touched, others }: Shares,
): Promise<Attribution | undefined> {
  // What differs from the last step then is what the person did before the running turn, which was measured, and
  // what the turn has done so far.
  const isRunning = isActive(session)
  const shadow = shadowRef(session.baseCommit, session.worktreeId)
  const hasStep = session.stepCount > 0 && !isRunning
  const tip = hasStep ? await findAgentStep(git.objects, shadow) : undefined
  const pending = isRunning && session.pendingAttribution ? [session.pendingAttribution] : []
  const texts = new Map<string, Promise<string>>()
  // The committed text and that of the step are nearly always the same.
  const read = (oid: string) =>
    texts.getOrInsertComputed(oid, async () => countableText((await git.objects.contents(oid))?.content))
  const text = async (name: string | undefined) => {
    const info = name === undefined ? undefined : await git.objects.info(name)
    return info === undefined || info.type !== 'blob' || info.size > maxBytes ? '' : await read(info.oid)
  }
  const own = session.filesTouched.flatMap((path) => files.get(path) ?? [])
  return attribute({
    files: await Promise.all(
      own.map(async ({ path, after }) => {
        const names = [
          `${session.attributionBase}:${path}`,
          after,
          ...(tip === undefined ? [] : [`${tip.oid}:${path}`]),
        ]
        const [base = '', head = '', step = head] = await Promise.all(names.map(text))
        return { path, base, step, head }
      }),
    ),
    others: await Promise.all(
      others.map(async ({ path, before, after }) => ({
        path,
        parent: await text(before),
        head: await text(after),
      })),
    ),
    otherSessions: touched,
    prompts: [...session.promptAttributions, ...pending],
    calculatedAt: formatTime(recorder.clock()),
  })
}

/** Files of the sessions that are in the checkpoint already. */
export async function readRecordedFiles(objects: ObjectReader, checkpoint: string): Promise<string[]> {
  return (await readSlots(objects, checkpoint)).sessions.flatMap(({ record }) => record.files)
}

/** An amended commit keeps its checkpoint: the session's new part is added to the recorded one. */
async function addToRecorded(objects: ObjectReader, part: SessionPart): Promise<SessionPart> {
  const { checkpoint, session } = part.record
  const { sessions } = await readSlots(objects, checkpoint)
  const before = sessions.find(({ record }) => record.session === session)
  if (before === undefined) return part
  const prompts = joinWithout(await readPrompts(objects, before), splitPrompts(part.prompts))
  return {
    ...part,
    record: addRecord(before.record, part.record),
    prompts: joinPrompts(prompts),
    context: checkpointContext(prompts),
  }
}

// Prompts stay noted while their work is uncommitted, so the recorded ones may come again.
function joinWithout(before: string[], now: string[]): string[] {
  return before.every((prompt, index) => prompt === now[index]) ? now : [...before, ...now]
}

function addRecord(before: SessionRecord, now: SessionRecord): SessionRecord {
  const tokens =
    before.tokens && now.tokens ? addTokens(before.tokens, now.tokens) : (now.tokens ?? before.tokens)
  const attribution =
    before.attribution && now.attribution
      ? addAttribution(before.attribution, now.attribution)
      : (now.attribution ?? before.attribution)
  return {
    ...before,
    ...now,
    createdAt: before.createdAt,
    steps: before.steps + now.steps,
    files: [...new Set([...before.files, ...now.files])].sort(),
    ...given({ sharedFiles: now.sharedFiles ?? before.sharedFiles }),
    transcriptStart: Math.min(before.transcriptStart, now.transcriptStart),
    ...given({ tokens }),
    ...given({ attribution }),
  }
}

function addAttribution(before: Attribution, now: Attribution): Attribution {
  const add = (field: Exclude<keyof Attribution, 'calculatedAt'>) => before[field] + now[field]
  const byAgent = add('agentLines') + add('agentRemoved')
  const changed = add('totalLinesChanged')
  return {
    calculatedAt: now.calculatedAt,
    agentLines: add('agentLines'),
    agentRemoved: add('agentRemoved'),
    humanAdded: add('humanAdded'),
    humanModified: add('humanModified'),
    humanRemoved: add('humanRemoved'),
    totalCommitted: add('totalCommitted'),
    totalLinesChanged: changed,
    agentPercentage: changed > 0 ? (byAgent / changed) * 100 : 0,
  }
}
