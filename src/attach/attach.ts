// A session that was not recorded becomes part of the checkpoint of HEAD: its whole transcript, as its agent
// kept it, in one import.

import { isInfrastructure, notesRef } from '../checkpoints/layout.ts'
import { firstPromptText } from '../checkpoints/step-subject.ts'
import { writeCheckpoint } from '../checkpoints/write.ts'
import { describePart, readRecordedFiles, shareOut } from '../commits/condense.ts'
import { postRewrite } from '../commits/rewrite.ts'
import type { CommitInfo } from '../git/commit.ts'
import { git } from '../git/exec.ts'
import { appendTrailer, checkpointTrailer } from '../git/trailers.ts'
import { isActive, type Session } from '../model/session.ts'
import { type Recorder, writeContext } from '../sessions/event-work.ts'
import { type GitSession, openGit } from '../sessions/git-session.ts'
import { readLive, updateLive, writeLive } from '../sessions/live-index.ts'
import { decide } from '../sessions/machine.ts'
import { lockFile, retrying } from '../sessions/save.ts'
import { newSession } from '../sessions/start.ts'
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
  /** Prompts in what was attached. */
  turns: number
}

/** `note`: links the commit by a note, in the same import. */
export async function attachSession(
  recorder: Recorder,
  plan: AttachPlan,
  options: { note: boolean },
): Promise<Attached> {
  using _lock = await takeLock(lockFile(recorder.repo), { waitMs: lockWaitMs })
  let attached: Attached | undefined
  await retrying(async () => {
    attached = await write(recorder, plan, options)
  })
  return attached as unknown as Attached
}

async function write(recorder: Recorder, plan: AttachPlan, options: { note: boolean }): Promise<Attached> {
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
  const described = describedBy(recorder, plan, session, transcript)
  const everyone = new Set([
    ...described.filesTouched,
    ...(plan.kind === 'add' ? await readRecordedFiles(git.objects, checkpoint) : []),
  ])
  const condensing = {
    recorder,
    git,
    commit,
    checkpoint,
    committer: nobody,
    afterwards: [],
    amends: plan.kind === 'add',
  }
  const part = await describePart(
    condensing,
    { session: described, agent, readTranscript: async () => transcript },
    shareOut(commit, everyone),
  )
  // It has no steps, but at least one turn.
  part.record.steps = Math.max(part.record.steps, prompts.length, 1)
  // Nor was it on a shadow branch.
  delete part.shadow
  await writeCheckpoint(await writeContext({ recorder, ...git }), checkpoint, [part])
  queueForPush(repo, checkpoint)
  if (options.note) await writeNote(recorder, git, commit.oid, checkpoint)
  await git.commit()
  settle(recorder, plan, session, described, prompts)
  if (known === undefined) date(recorder, session)
  save(recorder, plan, session)
  return { session, turns: prompts.length }
}

const nobody = { session: undefined, hasTerminal: true }

// Measured over the commit alone: what the agent did before it, nobody saw.
function describedBy(
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
    // A commit without parent begins with nothing, and so does an object that cannot exist.
    attributionBase: plan.commit.parents[0] ?? '0'.repeat(plan.commit.oid.length),
    promptAttributions: [],
  }
}

function settle(
  { cliVersion }: Recorder,
  plan: AttachPlan,
  session: Session,
  described: Session,
  prompts: string[],
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
    // The turn goes on, as after a commit: what comes is added to this checkpoint when it ends.
    session.phase = decide(session.phase, 'git-commit').phase
    session.turnFiles = turnFiles
    session.turnCheckpoints = [...new Set([...session.turnCheckpoints, plan.checkpoint])]
    return
  }
  if (session.filesTouched.length > 0) return
  session.baseCommit = session.attributionBase = plan.commit.oid
  session.transcriptStart = cursor?.items ?? session.transcriptStart
  session.stepCount = 0
  delete session.checkpointTokens
}

// As far as we know it is over; if not, its next event says so.
function date({ clock }: Recorder, session: Session): void {
  const { first, last } = readSpan(session.transcriptPath ?? '')
  session.startedAt = first ?? last ?? session.startedAt
  session.lastInteraction = last ?? session.startedAt
  session.endedAt = last ?? formatTime(clock())
  session.phase = 'ended'
  session.fullyCondensed = true
}

function save({ repo }: Recorder, { commit, checkpoint }: AttachPlan, session: Session): void {
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
      hint: 'Name its agent with --agent if another one was taken for it.',
    },
  )
}

// Ways to say which checkpoint a commit has, after it was made: in its message, when the user wants it
// amended, else by a note.

/** Adds the note to the import; what an earlier note says stays. */
export async function writeNote(
  recorder: Recorder,
  side: GitSession,
  commit: string,
  checkpoint: string,
): Promise<void> {
  const parent = (await side.objects.info(notesRef))?.oid
  const before = parent === undefined ? undefined : await side.objects.contents(`${notesRef}:${commit}`)
  const text = before === undefined ? '' : `${before.content.toString('utf8').trimEnd()}\n\n`
  side.writes().commit({
    ref: notesRef,
    parent,
    message: `Link ${commit.slice(0, 12)} to checkpoint ${checkpoint}\n`,
    author: (await side.config()).author,
    seconds: Math.floor(recorder.clock().getTime() / 1000),
    changes: [
      { path: commit, mode: '100644', content: Buffer.from(`${text}${checkpointTrailer}: ${checkpoint}\n`) },
    ],
  })
}

export async function linkByNote(recorder: Recorder, commit: string, checkpoint: string): Promise<void> {
  await using side = openGit(recorder.repo)
  await writeNote(recorder, side, commit, checkpoint)
  await side.commit()
}

/**
 * The id of the commit that took its place; undefined when git refuses. Index and work tree stay as they are.
 */
export async function amendWithTrailer(
  recorder: Recorder,
  commit: CommitInfo,
  checkpoint: string,
): Promise<string | undefined> {
  const { repo } = recorder
  // Nothing in a finished message is a comment.
  const message = appendTrailer(commit.message, checkpointTrailer, checkpoint, '\0')
  // --only without paths: the tree of the commit, whatever is staged. No hooks: the user's would check work
  // that is not new, and ours would take the commit for work of the sessions that are open.
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
