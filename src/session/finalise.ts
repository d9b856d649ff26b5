// Completes checkpoints that were written in the middle of a turn: their transcript ended where the commit was made.

import { finaliseCheckpoint } from '../checkpoints/condense.ts'
import { checkpointContext, joinPrompts } from '../checkpoints/context.ts'
import { clearPrompts } from './prompts.ts'
import { queueForPush } from './push-queue.ts'
import { spokenPrompts } from './spoken-prompts.ts'
import { sealTranscript, turnTranscript, useTranscript } from './turn-transcript.ts'
import { type Work, writing } from './work.ts'

export async function finalise(work: Work): Promise<void> {
  const { recorder, session } = work
  if (session.turnCheckpoints.length === 0) return
  const transcript = await turnTranscript(work, session.baseCommit)
  if (transcript !== undefined) useTranscript(work, transcript)
  const prompts = await spokenPrompts(recorder, session, transcript, work.afterwards)
  const contentHash = await sealTranscript(work, session.baseCommit)
  if (session.cursor !== undefined) {
    for (const id of session.turnCheckpoints) {
      const done = await finaliseCheckpoint(await writing(work), id, {
        session: session.id,
        chunks: session.cursor.chunks,
        contentHash,
        prompts: joinPrompts(prompts),
        context: checkpointContext(prompts),
      })
      queueForPush(recorder.repo, id)
      if (!done) recorder.log.write('warn', 'checkpoint to finalise not found', { session_id: session.id, checkpoint: id })
    }
  }
  session.turnCheckpoints = []
  if (session.filesTouched.length === 0) work.afterwards.push(() => clearPrompts(recorder.repo, session.id))
}
