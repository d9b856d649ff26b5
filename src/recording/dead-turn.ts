// Ends a turn whose agent died before reporting it, as its `stop` hook would have.
import type { Repo } from '../git/repo.ts'
import { isActive, type Session } from '../model/session.ts'
import type { EventWork, Recorder } from '../sessions/event-work.ts'
import { openGit } from '../sessions/git-session.ts'
import { readLive } from '../sessions/live-index.ts'
import { lockFile, retrying, save } from '../sessions/save.ts'
import { readSession } from '../sessions/store.ts'
import { readTurnTranscript } from '../sessions/transcript.ts'
import { worktreeOf } from '../sessions/worktrees.ts'
import { EntireError, notFound, unknownName } from '../std/errors.ts'
import { exists, findStat } from '../std/file.ts'
import { asNumber, asObject } from '../std/json.ts'
import { isAlive, takeLock } from '../std/lock.ts'
import { parseTime } from '../std/time.ts'
import { dispatch } from './dispatch.ts'
import { finalise } from './finalise.ts'
import { findReverted, findTurnFiles, TurnEnd } from './turn-end.ts'

/** Files that the turn changed and that are in no step yet. */
export async function findUnsaved(recorder: Recorder, session: Session): Promise<string[]> {
  const place = findPlace(recorder, session)
  if (
    !isActive(session) ||
    place === undefined ||
    (await recorder.findAgentByType(session.agentType)) === undefined
  )
    return []
  await using git = openGit(place)
  const work = await openWork({ ...recorder, repo: place }, git, session.id)
  const status = await work.status()
  const transcript = await readTurnTranscript({ ...work, sampleOid: status.head })
  const { own } = await findTurnFiles(work, status, transcript)
  return own.length > 0 ? own : await findReverted(work, status, transcript)
}

/** A turn that changed no files is left as it is: condensing reads what was said in it. */
export async function endDeadTurn(recorder: Recorder, id: string): Promise<void> {
  const session = readSession(recorder.repo, id)
  const agent = session && (await recorder.findAgentByType(session.agentType))
  if (session === undefined || agent === undefined || !isActive(session)) return
  if (!isStuck(session, recorder.clock()))
    throw new EntireError('busy', `Session ${id} is active again; nothing was changed.`, {
      hint: 'There is nothing to fix.',
    })
  const place = findPlace(recorder, session)
  if (place !== undefined && (await findUnsaved(recorder, session)).length > 0)
    await dispatch({ ...recorder, repo: place }, agent, { type: 'turn-end', session: id })
}

// Undefined when the session ran in another work tree that is gone: the files here are not its work.
function findPlace({ repo }: Recorder, session: Session): Repo | undefined {
  const place = worktreeOf(repo, session)
  return place.worktreeId === session.worktreeId && exists(place.root) ? place : undefined
}

const lockWaitMs = 10_000

/** Completes the checkpoints of a dead turn and returns their ids. The phase of the session stays. */
export async function completeTurn(recorder: Recorder, id: string): Promise<string[]> {
  const place = worktreeOf(recorder.repo, readSession(recorder.repo, id) ?? recorder.repo)
  using _lock = await takeLock(lockFile(place), { waitMs: lockWaitMs })
  let completed: string[] = []
  await retrying(async () => {
    await using git = openGit(place)
    const work = await openWork({ ...recorder, repo: place }, git, id)
    completed = work.session.turnCheckpoints
    await finalise(work, new TurnEnd(work))
    await save(work)
  })
  return completed
}

/** Opens a session as an event of its agent would. */
export async function openWork(
  recorder: Recorder,
  git: Awaited<ReturnType<typeof openGit>>,
  id: string,
): Promise<EventWork> {
  const session = readSession(recorder.repo, id)
  if (session === undefined) throw notFound('session', id)
  const agent = await recorder.findAgentByType(session.agentType)
  if (agent === undefined)
    throw unknownName(
      'agent',
      session.agentType,
      'Its transcript cannot be read. Use the version of entire that recorded the session.',
      'unknown-agent',
    )
  const event = { type: 'turn-end' as const, session: id }
  return { ...git, recorder, agent, event, session, live: readLive(recorder.repo), afterwards: [] }
}

const silentMs = 60 * 60 * 1000

/** True when the agent of a running turn has died or been silent for long. */
export function isStuck(session: Session, now: Date): boolean {
  return whyStuck(session, now) !== undefined
}

/** Why a running turn counts as dead; undefined when no turn is running, or its agent is alive. */
export function whyStuck(session: Session, now: Date): string | undefined {
  if (!isActive(session)) return undefined
  const pid = asNumber(asObject(session.extra.owner)?.pid)
  if (pid !== undefined && pid > 0 && !isAlive(pid)) return `agent process ${pid} exited (no longer running)`
  const last = parseTime(session.lastInteraction)
  // A long turn calls no hook for hours, but its transcript grows.
  const spoke = session.transcriptPath === undefined ? undefined : findStat(session.transcriptPath)?.mtimeMs
  const quietMs = now.getTime() - Math.max(last?.getTime() ?? 0, spoke ?? 0)
  if (quietMs <= silentMs) return undefined
  return last === undefined
    ? 'active, no recorded interaction time'
    : `active, last interaction ${formatSpan(now.getTime() - last.getTime())} ago`
}

function formatSpan(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)}h${minutes % 60}m`
  return `${Math.floor(minutes / (24 * 60))}d`
}
