// One event, from the agent's hook to the written state: load under lock, decide, do, save once.
import type { Repo } from '../git/repo.ts'
import type { Agent } from '../model/agent.ts'
import type { AgentEvent, EventType } from '../model/event.ts'
import { isActive, type Session } from '../model/session.ts'
import { EntireError } from '../std/errors.ts'
import { exists } from '../std/file.ts'
import { takeLock } from '../std/lock.ts'
import { formatTime } from '../std/time.ts'
import { awaitTranscript } from './await-transcript.ts'
import { beginTurn } from './begin-turn.ts'
import { completeCommit } from './complete-commit.ts'
import { finalise } from './finalise.ts'
import { greet } from './greet.ts'
import { keepHouse } from './housekeeping.ts'
import { readLive } from './live.ts'
import { type Action, decide, machine, type Trigger } from './machine.ts'
import { keepModelHint, removeModelHint } from './model-hint.ts'
import { newSession } from './new-session.ts'
import { hasJustBegun, isStillToCome } from './opened-turn.ts'
import { claimOf } from './owner.ts'
import { lockFile, retrying, save } from './persist.ts'
import { removePrePrompt, removePreTasks } from './pre-prompt.ts'
import { saveStep, stepSiteFor } from './save-step.ts'
import { findPlace, moveHere } from './session-place.ts'
import { checkSessionId, readSession } from './store.ts'
import { sweep } from './sweep.ts'
import { beginTask, saveTask } from './task.ts'
import { readTurnTranscript } from './turn-transcript.ts'
import { adoptCommits } from './unhooked.ts'
import { openGit, type Recorder, type Work } from './work.ts'

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
  const endTurn = (repo: Repo) => dispatch({ ...called, repo }, agent, { type: 'turn-end', session: told.session })
  const recorder = { ...called, repo: await findPlace(called.repo, told, endTurn) }
  // Not under the lock: an agent that writes late must not hold up the others.
  const event = await awaitTranscript(recorder, agent, told)
  recorder.trace.mark('wait')
  using _lock = await takeLock(lockFile(recorder.repo), { waitMs: lockWaitMs[event.type] })
  recorder.trace.mark('lock')
  if (event.type === 'turn-start') sweep(recorder.repo)
  await completeCommit(recorder)
  recorder.trace.mark('prepare')
  await retrying(() => handle(recorder, agent, event))
  if (event.type === 'session-end' || event.type === 'turn-end') await keepHouse(recorder)
  recorder.trace.mark('housekeeping')
}

type Handler = (work: Work, isKnown: boolean) => Promise<boolean>

// Each returns whether there is a state to save.
const handlers: Record<EventType, Handler> = {
  'session-start': async (work, isKnown) => {
    await greet(work)
    if (!isKnown) keepModelHint(work)
    if (!work.event.opensTurn) return isKnown && transition(work, 'session-start')
    if (!(await hasJustBegun(work))) return transition(work, 'turn-start')
    return (await isStillToCome(work)) || transition(work, 'session-start')
  },
  'turn-start': async (work) => ((await isStillToCome(work)) ? beginAgain(work) : transition(work, 'turn-start')),
  'turn-end': (work) => {
    if (work.agent.tasksEndWithTurn) removePreTasks(work.recorder.repo, work.session.id)
    return transition(work, 'turn-end')
  },
  compaction: async (work, isKnown) => isKnown && transition(work, 'compaction'),
  'session-end': async (work, isKnown) => isKnown && transition(work, 'session-end'),
  'subagent-start': async (work) => {
    await beginTask(work)
    return false
  },
  // A task that changed no file may still have something to tell about itself.
  'subagent-end': async (work, isKnown) => (await saveTask(work)) || (isKnown && work.event.metadata !== undefined),
}

const run: Record<Action, (work: Work) => Promise<void> | void> = {
  touch: ({ session, recorder }) => {
    session.lastInteraction = formatTime(recorder.clock())
  },
  'clear-ended': ({ session }) => {
    delete session.endedAt
    session.fullyCondensed = false
  },
  'begin-turn': beginTurn,
  'save-step': saveStep,
  finalise,
  // Only commits condense; they come through post-commit, which knows the commit.
  condense: () => {},
  end: ({ session, recorder }) => {
    session.endedAt = formatTime(recorder.clock())
  },
}

async function transition(work: Work, trigger: Trigger): Promise<boolean> {
  const { phase, actions } = decide(work.session.phase, trigger)
  for (const action of actions) await run[action](work)
  work.session.phase = phase
  return true
}

// The prompt of a turn that began with its session.
async function beginAgain(work: Work): Promise<boolean> {
  work.session.turnCount -= 1
  await beginTurn(work)
  await run.touch(work)
  return true
}

async function handle(recorder: Recorder, agent: Agent, event: AgentEvent): Promise<void> {
  const { repo } = recorder
  const live = readLive(repo)
  const known = readSession(repo, event.session)
  const claim = known === undefined ? 'owns' : claimOf(recorder, known, agent)
  if (claim === 'none') return
  if (known !== undefined) moveHere(repo, known, live)
  await using git = openGit(repo)
  const work: Work = {
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
  if (known !== undefined && savesStep(known, event)) await prepareSave(work)
  const { session } = work
  if (!(await handlers[event.type](work, known !== undefined))) {
    await git.commit()
    for (const act of work.afterwards) await act()
    return
  }
  await save(work)
  if (known === undefined) removeModelHint(repo, session.id)
  if (!isActive(session)) removePrePrompt(repo, session.id)
}

function savesStep(session: Session, event: AgentEvent): boolean {
  const transition = Object.entries(machine[session.phase]).find(([trigger]) => trigger === event.type)?.[1]
  return transition?.actions.some((action) => action === 'save-step') ?? false
}

// The transcript is read while git looks at the work tree. Commits nobody told us about change what there is to save.
async function prepareSave(work: Work): Promise<void> {
  const { recorder, session } = work
  work.warm('status')
  // Starting a process blocks us while the cores are busy, so the others come when the transcript has been parsed and the status is
  // about to be known; they get ready while it is being redacted.
  if (session.baseCommit !== '') work.transcript = readTurnTranscript(work, session.baseCommit)
  work.warm('objects', 'writes')
  // HEAD is most likely where it was; the answers are remembered, and whoever needs them hears of failures.
  const head = session.turnHead ?? session.baseCommit
  if (head !== '') stepSiteFor(work, head).catch(() => {})
  const current = await adoptCommits(recorder, work, session)
  if (current === session) return
  delete work.transcript
  work.session = current
  work.live = readLive(recorder.repo)
  noteEvent(work, work.event)
}

function noteEvent({ session, agent }: Pick<Work, 'session' | 'agent'>, event: AgentEvent): void {
  // A resumed session may name a transcript that does not exist; the one we know stays. Other agents have names that are no files.
  const isThere = () => agent.source !== undefined || exists(event.transcript as string)
  if (event.transcript !== undefined && (session.transcriptPath === undefined || isThere())) session.transcriptPath = event.transcript
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
