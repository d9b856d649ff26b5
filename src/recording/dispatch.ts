// Handles one event of an agent: loads the session under its lock, asks the machine, acts, and saves the
// state once.

import { findMissedCommits, isUnfinished } from '../commits/pending.ts'
import { headLogSize } from '../git/head-log.ts'
import type { Repo } from '../git/repo.ts'
import type { Status } from '../git/status.ts'
import type { Agent } from '../model/agent.ts'
import type { AgentEvent, EventType } from '../model/event.ts'
import { isActive, type Session } from '../model/session.ts'
import type { EventWork, Recorder } from '../sessions/event-work.ts'
import { type GitSession, openGit } from '../sessions/git-session.ts'
import { readLive } from '../sessions/live-index.ts'
import { type Action, decide, machine, type Trigger } from '../sessions/machine.ts'
import { keepModelHint, newSession, removeModelHint } from '../sessions/new-session.ts'
import { clearOrphanedLocks } from '../sessions/orphaned-locks.ts'
import { findEventWorktree, moveToWorktree, reporterOf } from '../sessions/ownership.ts'
import { type PrefetchedStatus, statusIfStillTrue } from '../sessions/prefetch-status.ts'
import { hasNoWorkYet, isProvisional } from '../sessions/provisional-turn.ts'
import { lockFile, retrying, save } from '../sessions/save.ts'
import { checkSessionId, readSession } from '../sessions/store.ts'
import { removeTaskStarts, removeTurnStart } from '../sessions/turn-start-state.ts'
import { invalidValue, messageOf } from '../std/errors.ts'
import { exists } from '../std/file.ts'
import { takeLock } from '../std/lock.ts'
import { formatTime } from '../std/time.ts'
import { startCatchUp, sweep, tidyUp } from './housekeeping.ts'
import { listMissed, noteMissed, settleMissed } from './missed-events.ts'
import { adoptUnhookedCommits, saveStep, TurnEnd } from './turn-end.ts'

// The agent waits for its hook, and kills the one at the end of a session early.
const lockWaitMs: Record<EventType, number> = {
  'session-start': 2_000,
  'turn-start': 5_000,
  'turn-end': 15_000,
  compaction: 5_000,
  'session-end': 1_000,
  'subagent-start': 5_000,
  'subagent-end': 15_000,
}

/** `prefetched`: what git was asked before the rest of the program was loaded. */
export async function dispatch(
  caller: Recorder,
  agent: Agent,
  reported: AgentEvent,
  prefetched?: PrefetchedStatus,
): Promise<void> {
  checkIds(reported)
  const endTurn = (repo: Repo) =>
    dispatch({ ...caller, repo }, agent, { type: 'turn-end', session: reported.session })
  const recorder = { ...caller, repo: await findEventWorktree(caller.repo, reported, endTurn) }
  // Before the lock is taken: an agent that writes late must not hold up the others.
  const event = await awaitTranscript(recorder, agent, reported)
  recorder.trace.mark('wait')
  try {
    await recordEvent(recorder, agent, event, prefetched)
  } catch (error) {
    if (!noteMissed(recorder.repo, agent.type, event)) throw error
    recorder.log.write('warn', 'noted for the next event', { session_id: event.session, event: event.type })
    // Whoever holds the lock now finds the note at the end. If nobody does, it is found here.
    if (!(await recordMissedIfFree(recorder))) throw error
  }
}

async function recordEvent(
  recorder: Recorder,
  agent: Agent,
  event: AgentEvent,
  prefetched: PrefetchedStatus | undefined,
): Promise<void> {
  const { repo } = recorder
  using _lock = await takeLock(lockFile(repo), { waitMs: lockWaitMs[event.type] })
  recorder.trace.mark('lock')
  // Hooks run at every prompt: what only some events need is loaded by those, here and below.
  if (event.type === 'turn-start') sweep(repo)
  else clearOrphanedLocks(repo)
  if (isUnfinished(repo)) await (await import('../commits/complete.ts')).completeCommit(recorder)
  const isFirst = await recordMissed(recorder)
  recorder.trace.mark('prepare')
  let known = isFirst ? statusIfStillTrue(prefetched, repo) : undefined
  await retrying(async () => {
    const status = known
    known = undefined
    await handle(recorder, agent, event, status)
  })
  if (event.type === 'session-end' || event.type === 'turn-end') await tidyUp(recorder)
  await recordMissed(recorder)
  recorder.trace.mark('housekeeping')
}

/** Records the events that other processes gave up. True when there were none. The caller holds the lock. */
async function recordMissed(recorder: Recorder): Promise<boolean> {
  const missed = listMissed(recorder.repo)
  for (const entry of missed) {
    const agent = await recorder.findAgentByType(entry.agent)
    try {
      if (agent !== undefined) await retrying(() => handle(recorder, agent, entry.event, undefined))
      settleMissed(entry, true)
    } catch (error) {
      settleMissed(entry, false)
      recorder.log.write('warn', `an event that was missed failed again: ${messageOf(error)}`, {
        session_id: entry.event.session,
      })
    }
  }
  return missed.length === 0
}

/** False when another process holds the lock, or the event cannot be recorded now. */
async function recordMissedIfFree(recorder: Recorder): Promise<boolean> {
  try {
    using _lock = await takeLock(lockFile(recorder.repo), { waitMs: 0 })
    await recordMissed(recorder)
    return listMissed(recorder.repo).length === 0
  } catch {
    return false
  }
}

async function handle(
  recorder: Recorder,
  agent: Agent,
  event: AgentEvent,
  status: Promise<Status> | undefined,
): Promise<void> {
  const { repo } = recorder
  await using git = openGit(repo, { status })
  let opened = openEvent(recorder, git, agent, event)
  if (opened === undefined) return
  if (!event.isLate) {
    const size = headLogSize(repo)
    if (findMissedCommits(repo, opened.work.live).length > 0) {
      await (await import('../commits/adopt.ts')).adoptMissedCommits(recorder)
      opened = openEvent(recorder, git, agent, event) ?? opened
    } else opened.work.live.headLog = size
  }
  if (opened.continuesTurn) return await save(opened.work)
  let end = new TurnEnd(opened.work)
  if (opened.isKnown && savesStep(opened.work.session, event)) {
    end.prefetch()
    if (!event.isLate && (await adoptUnhookedCommits(opened.work))) {
      opened = openEvent(recorder, git, agent, event) ?? opened
      end = new TurnEnd(opened.work)
    }
  }
  const { work, isKnown } = opened
  if (event.type === 'turn-start' && hasLastStep(work)) work.prefetch('objects')
  if (!(await handlers[event.type](work, end, isKnown))) {
    await git.commit()
    for (const act of work.afterwards) await act()
    return
  }
  await save(work)
  if (work.session.cursor?.behind !== undefined) await startCatchUp(recorder, work.session.id)
  if (!isKnown) removeModelHint(repo, work.session.id)
  if (!isActive(work.session)) removeTurnStart(repo, work.session.id)
}

interface OpenedEvent {
  work: EventWork
  /** The session has a state already. */
  isKnown: boolean
  /** The turn began with a hook that this agent had borrowed: there is nothing to begin again. */
  continuesTurn: boolean
}

/** Undefined when another agent reports the session. */
function openEvent(
  recorder: Recorder,
  git: GitSession,
  agent: Agent,
  event: AgentEvent,
): OpenedEvent | undefined {
  const { repo } = recorder
  const live = readLive(repo)
  const known = readSession(repo, event.session)
  const reporter = known === undefined ? 'owner' : reporterOf(recorder, known, agent)
  if (reporter === 'stranger') return undefined
  if (known !== undefined) moveToWorktree(repo, known, live)
  const session = known ?? newSession(recorder, agent, event, live.sessions.get(event.session))
  noteEvent(session, agent, event)
  if (reporter === 'successor') session.agentType = agent.type
  return {
    work: { ...git, recorder, agent, event, session, live, afterwards: [] },
    isKnown: known !== undefined,
    continuesTurn: reporter === 'successor' && event.type === 'turn-start' && isActive(session),
  }
}

// The work tree is going to be compared with it.
function hasLastStep({ live: { lastStep }, session }: EventWork): boolean {
  return (
    lastStep !== undefined && lastStep.head === session.baseCommit && Object.keys(lastStep.files).length > 0
  )
}

function savesStep(session: Session, event: AgentEvent): boolean {
  const transition = Object.entries(machine[session.phase]).find(([trigger]) => trigger === event.type)?.[1]
  return transition?.actions.some((action) => action === 'save-step') ?? false
}

type Handler = (work: EventWork, end: TurnEnd, isKnown: boolean) => Promise<boolean>

// Each returns whether there is a state to save.
const handlers: Record<EventType, Handler> = {
  'session-start': async (work, end, isKnown) => {
    await (await import('./greet.ts')).greet(work)
    if (!isKnown) keepModelHint(work)
    if (!work.event.opensTurn) return isKnown && transition(work, end, 'session-start')
    if (!(await hasNoWorkYet(work, () => end.transcript()))) return transition(work, end, 'turn-start')
    return (await isProvisional(work, () => end.transcript())) || transition(work, end, 'session-start')
  },
  'turn-start': async (work, end) =>
    (await isProvisional(work, () => end.transcript()))
      ? restartProvisionalTurn(work, end)
      : transition(work, end, 'turn-start'),
  'turn-end': (work, end) => {
    if (work.agent.tasksEndWithTurn) removeTaskStarts(work.recorder.repo, work.session.id)
    return transition(work, end, 'turn-end')
  },
  compaction: async (work, end, isKnown) => isKnown && transition(work, end, 'compaction'),
  'session-end': async (work, end, isKnown) => isKnown && transition(work, end, 'session-end'),
  'subagent-start': async (work) => {
    await (await import('./subagents.ts')).beginTask(work)
    return false
  },
  // A task that changed no file may still report something about itself.
  'subagent-end': async (work, _end, isKnown) =>
    (await (await import('./subagents.ts')).saveTask(work)) || (isKnown && work.event.metadata !== undefined),
}

async function transition(work: EventWork, end: TurnEnd, trigger: Trigger): Promise<boolean> {
  const { phase, actions } = decide(work.session.phase, trigger)
  for (const action of actions) await run[action](work, end)
  work.session.phase = phase
  return true
}

const run: Record<Action, (work: EventWork, end: TurnEnd) => Promise<void> | void> = {
  touch: ({ session, recorder }) => {
    session.lastInteraction = formatTime(recorder.clock())
  },
  'clear-ended': ({ session }) => {
    delete session.endedAt
    session.fullyCondensed = false
  },
  'begin-turn': async (work) => await (await import('./turn-start.ts')).beginTurn(work),
  'save-step': saveStep,
  finalise: async (work, end) => {
    if (work.session.turnCheckpoints.length > 0) await (await import('./finalise.ts')).finalise(work, end)
  },
  // Only commits condense; they come through post-commit, which knows the commit.
  condense: () => {},
  end: ({ session, recorder }) => {
    session.endedAt = formatTime(recorder.clock())
  },
}

// The first prompt of a turn that began with its session.
async function restartProvisionalTurn(work: EventWork, end: TurnEnd): Promise<boolean> {
  const { turnId } = work.session
  work.session.turnCount -= 1
  await run['begin-turn'](work, end)
  // The state before the turn was saved for it by this name.
  if (turnId !== undefined) work.session.turnId = turnId
  await run.touch(work, end)
  return true
}

function noteEvent(session: Session, agent: Agent, event: AgentEvent): void {
  // A resumed session may name a transcript that does not exist: then the known one stays. Agents that hand
  // their transcripts over have names for them that are not files.
  const isThere = () => agent.source !== undefined || exists(event.transcript as string)
  if (event.transcript !== undefined && (session.transcriptPath === undefined || isThere()))
    session.transcriptPath = event.transcript
  if (event.model !== undefined) session.model = event.model
  if (event.previousSession !== undefined) session.previousSession = event.previousSession
  if (event.metadata !== undefined) session.metadata = { ...session.metadata, ...event.metadata }
}

function checkIds(event: AgentEvent): void {
  checkSessionId(event.session)
  for (const id of [event.toolUse, event.subagent]) {
    if (id !== undefined && !/^[A-Za-z0-9_-]+$/.test(id)) {
      throw invalidValue(
        JSON.stringify(id).slice(1, -1),
        'the id of a tool or subagent',
        'Use letters, digits, "-" and "_".',
        'bad-id',
      )
    }
  }
}

// Agents often report the end of a turn before the last lines of its transcript are written. Returns the
// event, with the metadata that the agent's preparer adds to it.
async function awaitTranscript({ repo }: Recorder, agent: Agent, event: AgentEvent): Promise<AgentEvent> {
  const path = event.subagentTranscript ?? event.transcript
  const isEnd = event.type === 'turn-end' || event.type === 'session-end'
  if (agent.preparer === undefined || path === undefined || (event.lastMessage === undefined && !isEnd))
    return event
  // Nothing is read at the end of a session that never had a turn.
  if (event.type === 'session-end' && readSession(repo, event.session) === undefined) return event
  const noted = await agent.preparer.prepare(path, event, () => readSession(repo, event.session)?.metadata)
  return noted === undefined ? event : { ...event, metadata: { ...event.metadata, ...noted } }
}
