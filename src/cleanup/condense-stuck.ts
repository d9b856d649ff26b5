// Condenses the steps of a stuck session into a checkpoint that no commit names, so that its work is not
// lost.

import { storeDocument } from '../checkpoints/chunk-store.ts'
import { sessionDir } from '../checkpoints/layout.ts'
import { checkpointContext, joinPrompts, splitPrompts } from '../checkpoints/prompt-files.ts'
import { readTranscript } from '../checkpoints/read.ts'
import { chunkBytes, chunkLines, digestOf, stripLines } from '../checkpoints/transcript-chunks.ts'
import { countRedactions } from '../checkpoints/transcript-store.ts'
import { type SessionPart, writeCheckpoint } from '../checkpoints/write.ts'
import { describePart, shareOut } from '../commits/condense.ts'
import { unknownCommitter } from '../commits/find-sessions.ts'
import { newCheckpointId } from '../commits/pending.ts'
import { readCommit } from '../git/commit.ts'
import { blobOid, type Oid } from '../git/oid.ts'
import { isActive, type Session } from '../model/session.ts'
import { endDeadTurn, isStuck, openWork } from '../recording/dead-turn.ts'
import { finalise } from '../recording/finalise.ts'
import { TurnEnd } from '../recording/turn-end.ts'
import { type EventWork, type Recorder, writeContext } from '../sessions/event-work.ts'
import { openGit } from '../sessions/git-session.ts'
import { clearPrompts } from '../sessions/prompts.ts'
import { retrying, save } from '../sessions/save.ts'
import { removeTurnStart } from '../sessions/turn-start-state.ts'
import { listWorktrees, lockWorktrees, worktreeOf } from '../sessions/worktrees.ts'
import { changeText } from '../std/encoding.ts'
import { EntireError } from '../std/errors.ts'
import { given } from '../std/given.ts'
import { queueForPush } from '../sync/queue.ts'
import { planSessions } from './clean.ts'
import { findUncommitted, readInventory } from './inventory.ts'
import { addToTrash, removeTrashed } from './trash.ts'

/** Returns the id of the checkpoint. */
export async function condenseStuck(recorder: Recorder, found: Session): Promise<string> {
  const worktree = worktreeOf(recorder.repo, found)
  const checkpoint = newCheckpointId(recorder)
  await endDeadTurn(recorder, found.id)
  using _lock = await lockWorktrees(listWorktrees(recorder.repo))
  await retrying(() => condense({ ...recorder, repo: worktree }, found.id, checkpoint))
  return checkpoint
}

async function condense(recorder: Recorder, id: string, checkpoint: string): Promise<void> {
  const { repo } = recorder
  await using git = openGit(repo)
  const work = await openWork(recorder, git, id)
  const { session } = work
  if (isActive(session) && !isStuck(session, recorder.clock()))
    throw new EntireError('busy', `Session ${id} is active again; nothing was changed.`, {
      hint: 'There is nothing to fix.',
    })
  const [inventory, commit] = await Promise.all([readInventory(repo), readCommit(repo, 'HEAD')])
  if (commit === undefined) throw new EntireError('no-commits', 'This repository has no commits yet.')
  const { branches } = planSessions(inventory, [session])
  await finalise(work, new TurnEnd(work))
  // The commit only provides branch and id: none of its files are the session's.
  const underway = {
    recorder,
    git,
    commit: { ...commit, files: [] },
    checkpoint,
    committer: unknownCommitter,
    afterwards: work.afterwards,
  }
  const part = await describePart(
    underway,
    { session, agent: work.agent },
    shareOut(recorder, underway.commit, new Set(session.filesTouched)),
  )
  const tip = branches[0]?.oid
  const whole = part.chunks.length === 0 && tip !== undefined ? await fillFromStep(work, tip, part) : part
  await writeCheckpoint(await writeContext({ recorder, ...git }), checkpoint, [whole])
  queueForPush(repo, checkpoint)
  settle(work, checkpoint, await findUncommitted(repo, session.filesTouched))
  const removed = { branches, files: [] }
  if (branches.length > 0) await addToTrash({ recorder, git }, 'doctor', removed)
  await save(work)
  await removeTrashed(repo, removed)
}

// Files that still differ from HEAD stay with the session, so that their commit is linked to it.
function settle({ recorder, session, afterwards }: EventWork, checkpoint: string, waiting: string[]): void {
  session.phase = session.phase === 'ended' ? 'ended' : 'idle'
  session.attributionBase = session.baseCommit
  session.promptAttributions = []
  delete session.pendingAttribution
  delete session.checkpointTokens
  session.turns = []
  session.filesTouched = waiting
  session.stepCount = 0
  session.transcriptStart = session.cursor?.items ?? session.transcriptStart
  session.lastCheckpoint = checkpoint
  session.fullyCondensed = session.phase === 'ended' && waiting.length === 0
  afterwards.push(() => removeTurnStart(recorder.repo, session.id))
  if (waiting.length === 0) afterwards.push(() => clearPrompts(recorder.repo, session.id))
}

// Takes transcript and prompts from the last step when the live transcript is gone. Other versions stored
// them unredacted, so they are stripped and redacted here.
async function fillFromStep(work: EventWork, step: Oid, part: SessionPart): Promise<SessionPart> {
  const dir = `${step}:${sessionDir(part.record.session)}`
  const redaction = await work.recorder.redaction()
  const file = await work.objects.contents(`${dir}/prompt.txt`)
  const prompts = splitPrompts(redaction.text(file?.content.toString('utf8') ?? ''))
  const fromStep =
    part.prompts === '' ? { prompts: joinPrompts(prompts), context: checkpointContext(prompts) } : {}
  const tree = await work.objects.info(dir)
  const raw =
    tree && (await readTranscript(work.objects, { ...part.record, dir: tree.oid }, work.agent.cutter))
  if (raw === undefined) return { ...part, ...fromStep }
  const isDocument = work.agent.transcript.shape(raw.subarray(0, 256).toString('utf8')) === 'document'
  const counted = countRedactions(undefined)
  const whole = await changeText(raw, (text) =>
    redaction.json(stripLines(work.agent.transcript, text), counted.add),
  )
  const store = (content: Buffer) => {
    const oid = blobOid(content, step)
    work.storeBlob({ oid, content })
    return { oid }
  }
  const chunks = isDocument
    ? (
        await storeDocument(
          { store: work.storeBlob, sampleOid: step, cutter: work.agent.cutter },
          whole,
          undefined,
        )
      ).chunks
    : chunkLines(whole, chunkBytes).map(store)
  const record = { ...part.record, ...given({ redactions: counted.counts() }) }
  return { ...part, ...fromStep, record, chunks, contentHash: digestOf(whole) }
}
