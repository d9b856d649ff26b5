// One event, from the agent's hook to the written state: load under lock, decide, do, save once.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isUnfinished } from '../commits/pending.ts'
import { gitEnv } from '../git/env.ts'
import { mergePacksCommand } from '../git/merge-packs.ts'
import type { Repo } from '../git/repo.ts'
import type { Status } from '../git/status.ts'
import type { Agent } from '../model/agent.ts'
import type { AgentEvent, EventType } from '../model/event.ts'
import { isActive } from '../model/session.ts'
import { expireKeptRefsIfDue } from '../sessions/kept-refs.ts'
import { readLive } from '../sessions/live-index.ts'
import { type Action, decide, type Trigger } from '../sessions/machine.ts'
import { findEventWorktree, moveToWorktree, reporterOf } from '../sessions/ownership.ts'
import { statusIfStillTrue } from '../sessions/prefetch-status.ts'
import { hasNoWorkYet, isProvisional } from '../sessions/provisional-turn.ts'
import { lockFile, retrying, save } from '../sessions/save.ts'
import { keepModelHint, newSession, removeModelHint } from '../sessions/start.ts'
import { checkSessionId, readSession } from '../sessions/store.ts'
import { removeTaskStarts, removeTurnStart } from '../sessions/turn-start-state.ts'
import { type EventWork, openGit, type Recorder } from '../sessions/work.ts'
import { EntireError, messageOf } from '../std/errors.ts'
import { exists } from '../std/file.ts'
import { takeLock } from '../std/lock.ts'
import { startDetached } from '../std/proc.ts'
import { formatTime } from '../std/time.ts'
import { prepareSave, savesStep } from './prefetch-turn-end.ts'
import { saveStep } from './turn-end.ts'

// The agent waits for us; its session-end hook is killed early.
const lockWaitMs: Record<EventType, number> = {
  'session-start': 2_000,
  'turn-start': 5_000,
  'turn-end': 15_000,
  compaction: 5_000,
  'session-end': 1_000,
  'subagent-start': 5_000,
  'subagent-end': 15_000,
}

export async function dispatch(called: Recorder, agent: Agent, told: AgentEvent): Promise<void> {
  checkIds(told)
  const endTurn = (repo: Repo) =>
    dispatch({ ...called, repo }, agent, { type: 'turn-end', session: told.session })
  const recorder = { ...called, repo: await findEventWorktree(called.repo, told, endTurn) }
  // Not under the lock: an agent that writes late must not hold up the others.
  const event = await awaitTranscript(recorder, agent, told)
  recorder.trace.mark('wait')
  using _lock = await takeLock(lockFile(recorder.repo), { waitMs: lockWaitMs[event.type] })
  recorder.trace.mark('lock')
  // Hooks run at every prompt: what only some of them need, like everything here that is loaded late, the others do without.
  if (event.type === 'turn-start') (await import('./sweep.ts')).sweep(recorder.repo)
  if (isUnfinished(recorder.repo)) await (await import('../commits/complete.ts')).completeCommit(recorder)
  recorder.trace.mark('prepare')
  let early = statusIfStillTrue(called.prefetchedStatus, recorder.repo)
  await retrying(async () => {
    const status = early
    early = undefined
    await handle(recorder, agent, event, status)
  })
  if (event.type === 'session-end' || event.type === 'turn-end') await mergePacksIfDue(recorder)
  recorder.trace.mark('housekeeping')
}

type Handler = (work: EventWork, isKnown: boolean) => Promise<boolean>

// Each returns whether there is a state to save.
const handlers: Record<EventType, Handler> = {
  'session-start': async (work, isKnown) => {
    await (await import('./greet.ts')).greet(work)
    if (!isKnown) keepModelHint(work)
    if (!work.event.opensTurn) return isKnown && transition(work, 'session-start')
    if (!(await hasNoWorkYet(work))) return transition(work, 'turn-start')
    return (await isProvisional(work)) || transition(work, 'session-start')
  },
  'turn-start': async (work) =>
    (await isProvisional(work)) ? restartProvisionalTurn(work) : transition(work, 'turn-start'),
  'turn-end': (work) => {
    if (work.agent.tasksEndWithTurn) removeTaskStarts(work.recorder.repo, work.session.id)
    return transition(work, 'turn-end')
  },
  compaction: async (work, isKnown) => isKnown && transition(work, 'compaction'),
  'session-end': async (work, isKnown) => isKnown && transition(work, 'session-end'),
  'subagent-start': async (work) => {
    await (await import('./subagents.ts')).beginTask(work)
    return false
  },
  // A task that changed no file may still have something to tell about itself.
  'subagent-end': async (work, isKnown) =>
    (await (await import('./subagents.ts')).saveTask(work)) || (isKnown && work.event.metadata !== undefined),
}

const run: Record<Action, (work: EventWork) => Promise<void> | void> = {
  touch: ({ session, recorder }) => {
    session.lastInteraction = formatTime(recorder.clock())
  },
  'clear-ended': ({ session }) => {
    delete session.endedAt
    session.fullyCondensed = false
  },
  'begin-turn': async (work) => await (await import('./turn-start.ts')).beginTurn(work),
  'save-step': saveStep,
  finalise: async (work) => {
    if (work.session.turnCheckpoints.length > 0) await (await import('./finalise.ts')).finalise(work)
  },
  // Only commits condense; they come through post-commit, which knows the commit.
  condense: () => {},
  end: ({ session, recorder }) => {
    session.endedAt = formatTime(recorder.clock())
  },
}

async function transition(work: EventWork, trigger: Trigger): Promise<boolean> {
  const { phase, actions } = decide(work.session.phase, trigger)
  for (const action of actions) await run[action](work)
  work.session.phase = phase
  return true
}

// The prompt of a turn that began with its session.
async function restartProvisionalTurn(work: EventWork): Promise<boolean> {
  work.session.turnCount -= 1
  await run['begin-turn'](work)
  await run.touch(work)
  return true
}

async function handle(
  recorder: Recorder,
  agent: Agent,
  event: AgentEvent,
  status?: Promise<Status>,
): Promise<void> {
  const { repo } = recorder
  const live = readLive(repo)
  const known = readSession(repo, event.session)
  const claim = known === undefined ? 'owns' : reporterOf(recorder, known, agent)
  if (claim === 'none') return
  if (known !== undefined) moveToWorktree(repo, known, live)
  await using git = openGit(repo, { status })
  const work: EventWork = {
    ...git,
    recorder,
    agent,
    event,
    session: known ?? newSession(recorder, agent, event, live.sessions.get(event.session)),
    live,
    afterwards: [],
  }
  noteEvent(work, event)
  if (claim === 'takes over') {
    work.session.agentType = agent.type
    // The turn began with the hook that was borrowed.
    if (event.type === 'turn-start' && isActive(work.session)) return await save(work)
  }
  if (known !== undefined && savesStep(known, event) && (await prepareSave(work))) noteEvent(work, event)
  const { session } = work
  if (!(await handlers[event.type](work, known !== undefined))) {
    await git.commit()
    for (const act of work.afterwards) await act()
    return
  }
  await save(work)
  if (known === undefined) removeModelHint(repo, session.id)
  if (!isActive(session)) removeTurnStart(repo, session.id)
}

function noteEvent({ session, agent }: Pick<EventWork, 'session' | 'agent'>, event: AgentEvent): void {
  // A resumed session may name a transcript that does not exist; the one we know stays. Other agents have names that are no files.
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
      throw new EntireError('bad-id', `${JSON.stringify(id)} is not a valid id.`, {
        hint: 'Ids of tools and subagents are letters, digits, "-" and "_".',
      })
    }
  }
}

// The end of a turn is often told before the last lines of the transcript are written.

/** The event, with what the agent wants to be remembered of the waiting. */
export async function awaitTranscript(
  { repo }: Recorder,
  agent: Agent,
  event: AgentEvent,
): Promise<AgentEvent> {
  const path = event.subagentTranscript ?? event.transcript
  const isEnd = event.type === 'turn-end' || event.type === 'session-end'
  if (agent.preparer === undefined || path === undefined || (event.lastMessage === undefined && !isEnd))
    return event
  // Nothing is read at the end of a session that never had a turn.
  if (event.type === 'session-end' && readSession(repo, event.session) === undefined) return event
  const noted = await agent.preparer.prepare(path, event, () => readSession(repo, event.session)?.metadata)
  return noted === undefined ? event : { ...event, metadata: { ...event.metadata, ...noted } }
}

// Many small saves leave many small packs. Once in a while, at the end of a turn or session, a process of its own merges them: the
// hook does not wait for it, and git never has to stop the user for it. What was kept long enough goes.

// Below where `git gc --auto` begins, at 50.
const packLimit = 20

export async function mergePacksIfDue(recorder: Recorder): Promise<void> {
  const { repo, log } = recorder
  // Another process may do the same at the same time; the turn is recorded, whatever becomes of this.
  await expireKeptRefsIfDue(recorder).catch((error: unknown) =>
    log.write('warn', 'old trash stays for now', { error: messageOf(error) }),
  )
  if (countPacks(join(repo.commonDir, 'objects', 'pack')) <= packLimit) return
  log.write('info', 'merging packs in the background')
  await startDetached(mergePacksCommand(repo), { cwd: repo.root, env: gitEnv(repo.env) })
}

function countPacks(dir: string): number {
  try {
    return readdirSync(dir).filter((name) => name.endsWith('.pack')).length
  } catch {
    return 0
  }
}
