// The steps of a session that no commit will take become a checkpoint of their own, so that nothing of it is lost. No commit names it.
import { writeCheckpoint } from '../checkpoints/condense.ts'
import { readCommit } from '../git/commit.ts'
import { isActive, type Session } from '../model/session.ts'
import { EntireError } from '../std/errors.ts'
import { shareOut } from './attribute-commit.ts'
import { newCheckpointId } from './checkpoint-id.ts'
import { openWork } from './complete-turn.ts'
import { describePart } from './condense.ts'
import { endDeadTurn } from './dead-turn.ts'
import { planSessions } from './discard.ts'
import { finalise } from './finalise.ts'
import { readHoldings } from './holdings.ts'
import { retrying, save } from './persist.ts'
import { removePrePrompt } from './pre-prompt.ts'
import { clearPrompts } from './prompts.ts'
import { queueForPush } from './push-queue.ts'
import { fillFromStep } from './step-transcript.ts'
import { isStuck } from './stuck.ts'
import { keepInTrash, removeRubbish } from './trash.ts'
import { findUncommitted } from './uncommitted.ts'
import { openGit, type Recorder, type Work, writing } from './work.ts'
import { listWorktrees, lockWorktrees, worktreeOf } from './work-trees.ts'

/** Gives the id of the checkpoint. */
export async function condenseStuck(recorder: Recorder, found: Session): Promise<string> {
  const place = worktreeOf(recorder.repo, found)
  const checkpoint = newCheckpointId(recorder)
  await endDeadTurn(recorder, found.id)
  using _lock = await lockWorktrees(listWorktrees(recorder.repo))
  await retrying(() => condense({ ...recorder, repo: place }, found.id, checkpoint))
  return checkpoint
}

async function condense(recorder: Recorder, id: string, checkpoint: string): Promise<void> {
  const { repo } = recorder
  await using git = openGit(repo)
  const work = await openWork(recorder, git, id)
  const { session } = work
  if (isActive(session) && !isStuck(session, recorder.clock()))
    throw new EntireError('busy', `Session ${id} goes on: its agent has come back.`, { hint: 'Nothing has to be done about it.' })
  const [holdings, commit] = await Promise.all([readHoldings(repo), readCommit(repo, 'HEAD')])
  if (commit === undefined) throw new EntireError('no-commits', 'This repository has no commits yet.')
  const { branches } = planSessions(holdings, [session])
  await finalise(work)
  // Nothing was committed: the commit only says on which branch, and lends its id.
  const condensing = { recorder, git, commit: { ...commit, files: [] }, checkpoint, caller: nobody, afterwards: work.afterwards }
  const part = await describePart(
    condensing,
    { session, agent: work.agent, transcript: undefined },
    shareOut(condensing.commit, new Set(session.filesTouched)),
  )
  const tip = branches[0]?.oid
  const whole = part.chunks.length === 0 && tip !== undefined ? await fillFromStep(work, tip, part) : part
  await writeCheckpoint(await writing({ recorder, ...git }), checkpoint, [whole])
  queueForPush(repo, checkpoint)
  settle(work, checkpoint, await findUncommitted(repo, session.filesTouched))
  const rubbish = { branches, files: [] }
  if (branches.length > 0) await keepInTrash({ recorder, git }, 'doctor', rubbish)
  await save(work)
  await removeRubbish(repo, rubbish)
}

const nobody = { session: undefined, hasTerminal: true }

// Files that still differ from HEAD stay the session's, so that the commit that takes them is linked to it.
function settle({ recorder, session, afterwards }: Work, checkpoint: string, waiting: string[]): void {
  session.phase = session.phase === 'ended' ? 'ended' : 'idle'
  session.attributionBase = session.baseCommit
  session.promptAttributions = []
  delete session.pendingAttribution
  delete session.checkpointTokens
  delete session.lastStepAt
  session.filesTouched = waiting
  session.stepCount = 0
  session.transcriptStart = session.cursor?.items ?? session.transcriptStart
  session.lastCheckpoint = checkpoint
  session.fullyCondensed = session.phase === 'ended' && waiting.length === 0
  afterwards.push(() => removePrePrompt(recorder.repo, session.id))
  if (waiting.length === 0) afterwards.push(() => clearPrompts(recorder.repo, session.id))
}
