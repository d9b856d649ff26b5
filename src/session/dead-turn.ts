// A turn that nobody will tell the end of: its agent was killed, or failed. What it did is saved as its end would have saved it.
import type { Repo } from '../git/repo.ts'
import { isActive, type Session } from '../model/session.ts'
import { EntireError } from '../std/errors.ts'
import { exists } from '../std/file.ts'
import { openWork } from './complete-turn.ts'
import { dispatch } from './dispatch.ts'
import { findTurnFiles } from './save-step.ts'
import { readSession } from './store.ts'
import { isStuck } from './stuck.ts'
import { turnTranscript } from './turn-transcript.ts'
import { openGit, type Recorder } from './work.ts'
import { worktreeOf } from './work-trees.ts'

/** Files that the turn changed and no step has yet. */
export async function findUnsaved(recorder: Recorder, session: Session): Promise<string[]> {
  const place = findPlace(recorder, session)
  if (!isActive(session) || place === undefined || (await recorder.findAgentByType(session.agentType)) === undefined) return []
  await using git = openGit(place)
  const work = await openWork({ ...recorder, repo: place }, git, session.id)
  const status = await work.status()
  if (status.head === undefined) return []
  return await findTurnFiles(work, status, await turnTranscript(work, status.head))
}

/** Nothing happens to a turn that has left no files: what was said is read by whoever stores it. */
export async function endDeadTurn(recorder: Recorder, id: string): Promise<void> {
  const session = readSession(recorder.repo, id)
  const agent = session && (await recorder.findAgentByType(session.agentType))
  if (session === undefined || agent === undefined || !isActive(session)) return
  if (!isStuck(session, recorder.clock()))
    throw new EntireError('busy', `Session ${id} goes on: its agent has come back.`, { hint: 'Nothing has to be done about it.' })
  const place = findPlace(recorder, session)
  if (place !== undefined && (await findUnsaved(recorder, session)).length > 0)
    await dispatch({ ...recorder, repo: place }, agent, { type: 'turn-end', session: id })
}

// What lies in another work tree is nothing that it did.
function findPlace({ repo }: Recorder, session: Session): Repo | undefined {
  const place = worktreeOf(repo, session)
  return place.worktreeId === session.worktreeId && exists(place.root) ? place : undefined
}
