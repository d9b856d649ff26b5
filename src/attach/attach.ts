// Attaches a session that no hook recorded to the checkpoint of HEAD: its whole transcript, in one import.

import { isInfrastructure, notesRef } from '../checkpoints/layout.ts'
import { firstPromptText } from '../checkpoints/step-subject.ts'
import { writeCheckpoint } from '../checkpoints/write.ts'
import { describePart, readRecordedFiles, shareOut } from '../commits/condense.ts'
import { unknownCommitter } from '../commits/find-sessions.ts'
import { postRewrite } from '../commits/rewrite.ts'
import type { CommitInfo } from '../git/commit.ts'
import { git } from '../git/exec.ts'
import { appendTrailer, checkpointTrailer } from '../git/trailers.ts'
import { isActive, type Session } from '../model/session.ts'
import { type Recorder, writeContext } from '../sessions/event-work.ts'
import { type GitSession, openGit } from '../sessions/git-session.ts'
import { readLive, updateLive, writeLive } from '../sessions/live-index.ts'
import { decide } from '../sessions/machine.ts'
import { newSession } from '../sessions/new-session.ts'
import { lockFile, retrying } from '../sessions/save.ts'
import { readSession, writeSession } from '../sessions/store.ts'
import { readTurnTranscript, type TurnTranscript } from '../sessions/transcript.ts'
import { toRepoPath } from '../sessions/turn-changes.ts'
import { EntireError } from '../std/errors.ts'
import { takeLock } from '../std/lock.ts'
import { formatTime } from '../std/time.ts'
import { queueForPush } from '../sync/queue.ts'
import { type AttachPlan, readSpan } from './plan.ts'

const lockWaitMs = 10_000

export interface Attached {
  session: Session
  /** How many prompts the attached transcript has. */
  turns: number
}

/** `note`: also links the commit to the checkpoint by a note. */
export async function attachSession(
  recorder: Recorder,
  plan: AttachPlan,
  options: { note: boolean },
): Promise<Attached> {
  using _lock = await takeLock(lockFile(recorder.repo), { waitMs: lockWaitMs })
  let attached: Attached | undefined
  await retrying(async () => {
    attached = await writeAttached(recorder, plan, options)
  })
  return attached as unknown as Attached
}

async function writeAttached(
  recorder: Recorder,
  plan: AttachPlan,
  options: { note: boolean },
): Promise<Attached> {
  const { repo } = recorder
  const { agent, commit, checkpoint } = plan
  await using git = openGit(repo)
  const known = readSession(repo, plan.session)
  const session =
    known ?? newSession(recorder, agent, { type: 'session-start', session: plan.session }, undefined)
  session.transcriptPath = plan.path
  const transcript = await readTurnTranscript({
    recorder,
    agent,
    session,
    objects: git.objects,
    sampleOid: commit.oid,
  })
  if (transcript === undefined || transcript.cursor.items === 0) throw unreadable(plan)
  const prompts = transcript.prompts.map((await recorder.redaction()).text)
  const described = describeSession(recorder, plan, session, transcript)
  const allFiles = new Set([
    ...described.filesTouched,
    ...(plan.kind === 'add' ? await readRecordedFiles(git.objects, checkpoint) : []),
  ])
  const underway = {
    recorder,
    git,
    commit,
    checkpoint,
    committer: unknownCommitter,
    afterwards: [],
    amends: plan.kind === 'add',
  }
  const part = await describePart(
    underway,
    { session: described, agent, readTranscript: async () => transcript },
    shareOut(recorder, commit, allFiles),
  )
  // The session has no steps, but at least one turn.
  part.record.steps = Math.max(part.record.steps, prompts.length, 1)
  // It was never on a shadow branch.
  delete part.shadow
  await writeCheckpoint(await writeContext({ recorder, ...git }), checkpoint, [part])
  queueForPush(repo, checkpoint)
  if (options.note) await writeNote(recorder, git, commit.oid, checkpoint)
  await git.commit()
  updateSession(recorder, plan, session, { described, prompts })
  if (known === undefined) endSession(recorder, session)
  saveSession(recorder, plan, session)
  return { session, turns: prompts.length }
}

// Attribution covers this commit only: there are no steps from before it.
function describeSession(
  { repo }: Recorder,
  plan: AttachPlan,
  session: Session,
  transcript: TurnTranscript,
): Session {
  const named = transcript.files.flatMap((file) => toRepoPath(repo, file) ?? [])
  return {
    ...session,
    phase: 'ended',
    stepCount: 0,
    filesTouched: [...new Set(named)].filter((path) => !isInfrastructure(path)).sort(),
    baseCommit: plan.commit.oid,
    // For a commit without parent, an object that cannot exist stands for an empty tree.
    attributionBase: plan.commit.parents[0] ?? '0'.repeat(plan.commit.oid.length),
    promptAttributions: [],
  }
}

function updateSession(
  { cliVersion }: Recorder,
  plan: AttachPlan,
  session: Session,
  { described, prompts }: { described: Session; prompts: string[] },
): void {
  const { cursor, tokens, model, turnFiles } = described
  Object.assign(session, {
    cliVersion,
    lastCheckpoint: plan.checkpoint,
    turnCount: session.turnCount + prompts.length,
  })
  Object.assign(session, { ...(cursor && { cursor }), ...(tokens && { tokens }), ...(model && { model }) })
  session.extra.attached_manually = true
  const [first, last] = [prompts[0], prompts.at(-1)]
  if (first !== undefined) session.firstPrompt ??= firstPromptText(first)
  if (last !== undefined) session.lastPrompt = firstPromptText(last)
  if (isActive(session)) {
    // As after a commit in the middle of a turn: the end of the turn completes this checkpoint.
    session.phase = decide(session.phase, 'git-commit').phase
    session.turnFiles = turnFiles
    session.turnCheckpoints = [...new Set([...session.turnCheckpoints, plan.checkpoint])]
    delete session.turnTokens
    return
  }
  if (session.filesTouched.length > 0) return
  session.baseCommit = session.attributionBase = plan.commit.oid
  session.transcriptStart = cursor?.items ?? session.transcriptStart
  session.stepCount = 0
  delete session.checkpointTokens
  session.turns = []
}

// Counts a new session as ended, with the times of its transcript. If it continues, its next event reopens
// it.
function endSession({ clock }: Recorder, session: Session): void {
  const { first, last } = readSpan(session.transcriptPath ?? '')
  session.startedAt = first ?? last ?? session.startedAt
  session.lastInteraction = last ?? session.startedAt
  session.endedAt = last ?? formatTime(clock())
  session.phase = 'ended'
  session.fullyCondensed = true
}

function saveSession({ repo }: Recorder, { commit, checkpoint }: AttachPlan, session: Session): void {
  const live = readLive(repo)
  writeSession(repo, session)
  updateLive(live, session)
  live.lastLink = { commit: commit.oid, checkpoint }
  writeLive(repo, live)
}

function unreadable({ path }: AttachPlan): EntireError {
  return new EntireError(
    'transcript-missing',
    `The transcript ${JSON.stringify(path)} holds no conversation.`,
    {
      hint: 'If it belongs to another agent, name that one with --agent.',
    },
  )
}

/** Adds the link to the import as a note. The text of an earlier note stays. */
async function writeNote(
  recorder: Recorder,
  gitSession: GitSession,
  commit: string,
  checkpoint: string,
): Promise<void> {
  const parent = (await gitSession.objects.info(notesRef))?.oid
  const before = parent === undefined ? undefined : await gitSession.objects.contents(`${notesRef}:${commit}`)
  const text = before === undefined ? '' : `${before.content.toString('utf8').trimEnd()}\n\n`
  gitSession.writes().commit({
    ref: notesRef,
    parent,
    message: `Link ${commit.slice(0, 12)} to checkpoint ${checkpoint}\n`,
    author: (await gitSession.config()).author,
    seconds: Math.floor(recorder.clock().getTime() / 1000),
    changes: [
      { path: commit, mode: '100644', content: Buffer.from(`${text}${checkpointTrailer}: ${checkpoint}\n`) },
    ],
  })
}

export async function linkByNote(recorder: Recorder, commit: string, checkpoint: string): Promise<void> {
  await using gitSession = openGit(recorder.repo)
  await writeNote(recorder, gitSession, commit, checkpoint)
  await gitSession.commit()
}

/** Returns the id of the amended commit; undefined when git refuses. Index and work tree stay as they are. */
export async function amendWithTrailer(
  recorder: Recorder,
  commit: CommitInfo,
  checkpoint: string,
): Promise<string | undefined> {
  const { repo } = recorder
  // A finished message has no comments, so no character starts one.
  const message = appendTrailer(commit.message, checkpointTrailer, checkpoint, '\0')
  // --only without paths takes the tree of the commit, whatever is staged. Hooks are off: the user's would
  // check old work, and Entire's would count the commit as work of the open sessions.
  const options = [
    '--quiet',
    '--amend',
    '--only',
    '--allow-empty',
    '--allow-empty-message',
    '--no-verify',
    '--cleanup=verbatim',
  ]
  const { code } = await git(repo, ['-c', 'core.hooksPath=/dev/null', 'commit', ...options, '-F', '-'], {
    stdin: message,
    accept: [1, 128],
  })
  if (code !== 0) return undefined
  const head = (await git(repo, ['rev-parse', 'HEAD'])).stdout.toString('latin1').trim()
  await postRewrite(recorder, 'amend', `${commit.oid} ${head}\n`)
  return head
}
