// The steps of a session that no commit will take become a checkpoint of their own, so that nothing of it is
// lost. No commit names it.

import { storeDocument } from '../checkpoints/chunk-store.ts'
import { sessionDir } from '../checkpoints/layout.ts'
import { checkpointContext, joinPrompts, splitPrompts } from '../checkpoints/prompt-files.ts'
import { readTranscript } from '../checkpoints/read.ts'
import { chunkBytes, chunkLines, digestOf, stripLines } from '../checkpoints/transcript-chunks.ts'
import { type SessionPart, writeCheckpoint } from '../checkpoints/write.ts'
import { describePart, shareOut } from '../commits/condense.ts'
import { newCheckpointId } from '../commits/pending.ts'
import { readCommit } from '../git/commit.ts'
import { blobOid, type Oid } from '../git/oid.ts'
import { isActive, type Session } from '../model/session.ts'
import { endDeadTurn, isStuck, openWork } from '../recording/dead-turn.ts'
import { finalise } from '../recording/finalise.ts'
import { clearPrompts } from '../sessions/prompts.ts'
import { retrying, save } from '../sessions/save.ts'
import { removeTurnStart } from '../sessions/turn-start-state.ts'
import { checkpointWriting, type EventWork, openGit, type Recorder } from '../sessions/work.ts'
import { listWorktrees, lockWorktrees, worktreeOf } from '../sessions/work-trees.ts'
import { changeText } from '../std/encoding.ts'
import { EntireError } from '../std/errors.ts'
import { queueForPush } from '../sync/queue.ts'
import { planSessions } from './clean.ts'
import { findUncommitted, readInventory } from './inventory.ts'
import { addToTrash, removeTrashed } from './trash.ts'

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
    throw new EntireError('busy', `Session ${id} is active again; nothing was changed.`, {
      hint: 'There is nothing to fix.',
    })
  const [inventory, commit] = await Promise.all([readInventory(repo), readCommit(repo, 'HEAD')])
  if (commit === undefined) throw new EntireError('no-commits', 'This repository has no commits yet.')
  const { branches } = planSessions(inventory, [session])
  await finalise(work)
  // Nothing was committed: the commit only says on which branch, and lends its id.
  const condensing = {
    recorder,
    git,
    commit: { ...commit, files: [] },
    checkpoint,
    committer: nobody,
    afterwards: work.afterwards,
  }
  const part = await describePart(
    condensing,
    { session, agent: work.agent, transcript: undefined },
    shareOut(condensing.commit, new Set(session.filesTouched)),
  )
  const tip = branches[0]?.oid
  const whole = part.chunks.length === 0 && tip !== undefined ? await fillFromStep(work, tip, part) : part
  await writeCheckpoint(await checkpointWriting({ recorder, ...git }), checkpoint, [whole])
  queueForPush(repo, checkpoint)
  settle(work, checkpoint, await findUncommitted(repo, session.filesTouched))
  const rubbish = { branches, files: [] }
  if (branches.length > 0) await addToTrash({ recorder, git }, 'doctor', rubbish)
  await save(work)
  await removeTrashed(repo, rubbish)
}

const nobody = { session: undefined, hasTerminal: true }

// Files that still differ from HEAD stay the session's, so that the commit that takes them is linked to it.
function settle({ recorder, session, afterwards }: EventWork, checkpoint: string, waiting: string[]): void {
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
  afterwards.push(() => removeTurnStart(recorder.repo, session.id))
  if (waiting.length === 0) afterwards.push(() => clearPrompts(recorder.repo, session.id))
}

// The transcript as the last step has it, for a session whose live transcript is gone. Other versions stored
// it as it was said, so it is stripped and redacted here.

export async function fillFromStep(work: EventWork, step: Oid, part: SessionPart): Promise<SessionPart> {
  const dir = `${step}:${sessionDir(part.record.session)}`
  const redaction = await work.recorder.redaction()
  const file = await work.objects.contents(`${dir}/prompt.txt`)
  const prompts = splitPrompts(redaction.text(file?.content.toString('utf8') ?? ''))
  const spoken =
    part.prompts === '' ? { prompts: joinPrompts(prompts), context: checkpointContext(prompts) } : {}
  const tree = await work.objects.info(dir)
  const raw =
    tree && (await readTranscript(work.objects, { ...part.record, dir: tree.oid }, work.agent.pieces))
  if (raw === undefined) return { ...part, ...spoken }
  const isDocument = work.agent.transcript.shape(raw.subarray(0, 256).toString('utf8')) === 'document'
  const whole = await changeText(raw, (text) => redaction.json(stripLines(work.agent.transcript, text)))
  const store = (content: Buffer) => {
    const oid = blobOid(content, step)
    work.storeBlob({ oid, content })
    return { oid }
  }
  const chunks = isDocument
    ? (
        await storeDocument(
          { store: work.storeBlob, sampleOid: step, cutter: work.agent.pieces },
          whole,
          undefined,
        )
      ).chunks
    : chunkLines(whole, chunkBytes).map(store)
  return { ...part, ...spoken, chunks, contentHash: digestOf(whole) }
}
