// Completes the checkpoints of a turn whose agent died before it could report the end.
import { EntireError } from '../std/errors.ts'
import { takeLock } from '../std/lock.ts'
import { finalise } from './finalise.ts'
import { readLive } from './live.ts'
import { lockFile, retrying, save } from './persist.ts'
import { readSession } from './store.ts'
import { openGit, type Recorder, type Work } from './work.ts'
import { worktreeOf } from './work-trees.ts'

const lockWaitMs = 10_000

/** Gives the checkpoints that are complete now. The phase stays what it is. */
export async function completeTurn(recorder: Recorder, id: string): Promise<string[]> {
  const place = worktreeOf(recorder.repo, readSession(recorder.repo, id) ?? recorder.repo)
  using _lock = await takeLock(lockFile(place), { waitMs: lockWaitMs })
  let completed: string[] = []
  await retrying(async () => {
    await using git = openGit(place)
    const work = await openWork({ ...recorder, repo: place }, git, id)
    completed = work.session.turnCheckpoints
    await finalise(work)
    await save(work)
  })
  return completed
}

/** A session as an event of its agent would find it. */
export async function openWork(recorder: Recorder, git: Awaited<ReturnType<typeof openGit>>, id: string): Promise<Work> {
  const session = readSession(recorder.repo, id)
  if (session === undefined) throw new EntireError('not-found', `session not found: ${id}`)
  const agent = await recorder.findAgentByType(session.agentType)
  if (agent === undefined)
    throw new EntireError('unknown-agent', `The agent "${session.agentType}" is not known, so its transcript cannot be read.`, {
      hint: 'Use the version of entire that recorded the session.',
    })
  const event = { type: 'turn-end' as const, session: id }
  return { ...git, recorder, agent, event, session, live: readLive(recorder.repo), afterwards: [] }
}
