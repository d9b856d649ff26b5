// The end of a turn needs three processes of git and the transcript: everything is begun as early as it can be, and nothing waits for
// what it does not need.
import type { FreshBlob } from '../checkpoints/chunk-writer.ts'
import { findTasks } from '../checkpoints/step.ts'
import type { AgentEvent } from '../model/event.ts'
import type { Session } from '../model/session.ts'
import { readLive } from './live.ts'
import { machine } from './machine.ts'
import { readPrePrompt } from './pre-prompt.ts'
import { stepSiteFor } from './save-step.ts'
import { hasChanged } from './turn-changes.ts'
import { readTurnTranscript } from './turn-transcript.ts'
import { adoptCommits } from './unhooked.ts'
import type { Work } from './work.ts'

export function savesStep(session: Session, event: AgentEvent): boolean {
  const transition = Object.entries(machine[session.phase]).find(([trigger]) => trigger === event.type)?.[1]
  return transition?.actions.some((action) => action === 'save-step') ?? false
}

/** True when commits that nobody told us about have changed the session and what there is to save. */
export async function prepareSave(work: Work): Promise<boolean> {
  const { recorder, session } = work
  work.warm('status', 'objects', 'writes')
  work.storeEarly = (blobs) => storeIfChanged(work, blobs)
  if (session.baseCommit !== '') work.transcript = readTurnTranscript(work, session.baseCommit)
  askAhead(work).catch(() => {})
  const current = await adoptCommits(recorder, work, session)
  if (current === session) return false
  delete work.transcript
  work.session = current
  work.live = readLive(recorder.repo)
  return true
}

// HEAD is most likely where it was. The answers are remembered, and whoever needs them hears of failures.
async function askAhead(work: Work): Promise<void> {
  const { objects, session } = work
  const head = session.turnHead ?? session.baseCommit
  if (head === '') return
  const { parent } = await stepSiteFor(work, head)
  await findTasks(objects, session.id, parent?.commit)
}

// When files have changed there will be a step, whatever the transcript says.
async function storeIfChanged({ recorder: { repo }, session, status, storeBlob }: Work, blobs: FreshBlob[]): Promise<void> {
  const before = readPrePrompt(repo, session.id)
  if (before !== undefined && hasChanged(repo, await status(), before)) for (const blob of blobs.splice(0)) storeBlob(blob)
}
