// Completes checkpoints that were written in the middle of a turn with the rest of its transcript.
import { finaliseCheckpoint } from '../checkpoints/write.ts'
import type { Session } from '../model/session.ts'
import { addTokens, hasTokens, type TokenUsage } from '../model/tokens.ts'
import { type EventWork, writeContext } from '../sessions/event-work.ts'
import { clearPrompts, promptsSinceCheckpoint } from '../sessions/prompts.ts'
import { digestSessionTranscript, useTranscript } from '../sessions/transcript.ts'
import { given } from '../std/given.ts'
import { queueForPush } from '../sync/queue.ts'
import type { TurnEnd } from './turn-end.ts'

export async function finalise(work: EventWork, end: TurnEnd): Promise<void> {
  const { recorder, session } = work
  if (session.turnCheckpoints.length === 0) return
  const transcript = await end.transcript()
  if (transcript !== undefined) useTranscript(work, transcript)
  const prompts = await promptsSinceCheckpoint(recorder, session, transcript, work.afterwards)
  const contentHash = await digestSessionTranscript({ ...work, sampleOid: session.baseCommit })
  if (session.cursor !== undefined) {
    const last = session.turnCheckpoints.at(-1)
    for (const id of session.turnCheckpoints) {
      const tokens = id === last ? takeTokens(session) : undefined
      const done = await finaliseCheckpoint(await writeContext(work), id, {
        session: session.id,
        chunks: session.cursor.chunks,
        contentHash,
        prompts,
        ...given({ redactions: session.cursor.redactions, tokens }),
      })
      queueForPush(recorder.repo, id)
      if (!done)
        recorder.log.write('warn', 'checkpoint to finalise not found', {
          session_id: session.id,
          checkpoint: id,
        })
    }
  }
  if (session.cursor?.behind !== undefined) return
  session.turnCheckpoints = []
  delete session.turnTokens
  if (session.filesTouched.length === 0) work.afterwards.push(() => clearPrompts(recorder.repo, session.id))
}

/**
 * The tokens of the turn's last checkpoint with what was spent since its commit, where the turn left nothing to commit:
 * no other checkpoint would count it. The next one begins after it. The sum, not the difference: an end that is
 * recorded again writes the same.
 */
function takeTokens(session: Session): TokenUsage | undefined {
  const { checkpointTokens, turnTokens, cursor } = session
  if (session.filesTouched.length > 0 || turnTokens === undefined || !hasTokens(checkpointTokens))
    return undefined
  delete session.checkpointTokens
  session.turns = []
  if (cursor !== undefined) session.transcriptStart = cursor.items
  session.turnTokens = addTokens(turnTokens, checkpointTokens)
  return session.turnTokens
}
