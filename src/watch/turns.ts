// Turns the signs in a file into turns: where they begin, continue and end, and which of that is news.

import type { Agent } from '../model/agent.ts'
import type { Session } from '../model/session.ts'
import type { SessionSign, Sign } from '../model/session-file.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { findSessionState } from '../sessions/store.ts'
import { given } from '../std/given.ts'
import { parseTime } from '../std/time.ts'
import { adoptReportedCommit, endSession, endTurn, isReported, startTurn, type TurnStart } from './events.ts'
import type { FileState, WatchedSession } from './state.ts'

export interface FileTurns {
  agent: Agent
  path: string
  state: FileState
  /**
   * The size of the file when the watcher first saw it. Content before it is news only when dated after
   * `since`.
   */
  silentUpTo: number
  since: Date
  /** When the session was last active before the watcher saw it. */
  touchedAt: string | undefined
  /** After the file was rewritten: what had been read of its last session. */
  known?: Pick<WatchedSession, 'id' | 'order' | 'prompts'>
  /** The session being read is an old one that was copied or restored into the file. */
  isOld: boolean
  /** A new one for every event, because settings change. Undefined while recording is off. */
  recorder(): Recorder | undefined
  report: WatchReport
}

export type WatchNews =
  | { event: 'session'; session: string }
  | { event: 'turn-start'; session: string; prompt: string | undefined }
  /** `before`: the session when the turn began. */
  | { event: 'turn-end'; session: string; before: Session | undefined; after: Session }
  /** Hooks report this session, so the watcher does not. */
  | { event: 'reported'; session: string }
  | { event: 'commit'; session: string; commit: string }
  /** Another process of the agent began a session in the same file while this one was answering. */
  | { event: 'two-at-once'; session: string }
  | { event: 'failed'; session: string | undefined; error: unknown }

export type WatchReport = (news: WatchNews) => void

/** Where in the file a sign was found, and which ones follow it. */
export interface SignPosition {
  start: number
  end: number
  line: number
  later: Sign[]
}

export async function handleSign(turns: FileTurns, sign: Sign, position: SignPosition): Promise<void> {
  const { session } = turns.state
  if (sign.type === 'session') return await enterSession(turns, sign, position)
  if (session === undefined || turns.isOld) return
  if (sign.type === 'prompt') await handlePrompt(turns, session, sign, position)
  else if (sign.type === 'commit') await handleCommit(turns, session, sign.commit, position)
  else await continueTurn(turns, session, sign.type === 'answer', position)
}

async function enterSession(
  turns: FileTurns,
  sign: SessionSign,
  { start, line }: SignPosition,
): Promise<void> {
  const { state } = turns
  const before = state.session
  turns.isOld =
    isOlder(sign, before) ||
    (start >= turns.silentUpTo && isDated(sign) && sign.order < localTime(turns.since))
  if (turns.isOld) return
  if (before?.id === sign.session) return void Object.assign(before, { start, firstLine: line, prompts: 0 })
  if (before !== undefined && start >= turns.silentUpTo) {
    const isAnswering = before.turn === 'open' && !before.answered
    if (isAnswering && turns.agent.sections !== undefined)
      turns.report({ event: 'two-at-once', session: before.id })
    await closeTurn(turns, start)
    // Hooks that report sessions report their ends, too.
    if (turns.agent.hookNames.length === 0)
      await attempt(turns, (recorder) =>
        endSession({ ...turns, recorder, session: before, upTo: start - before.start }),
      )
  }
  state.session = {
    id: sign.session,
    ...given({ order: sign.order }),
    start,
    firstLine: line,
    prompts: 0,
    turn: 'none',
    answered: false,
  }
  noteTouched(turns)
  if (start >= turns.silentUpTo) turns.report({ event: 'session', session: sign.session })
}

/** Notes when the session was last active, before the watcher reports anything of it. */
export function noteTouched(turns: FileTurns): void {
  const [recorder, session] = [turns.recorder(), turns.state.session]
  turns.touchedAt = recorder && session && findSessionState(recorder.repo, session.id)?.lastInteraction
}

function isOlder({ order }: SessionSign, before: WatchedSession | undefined): boolean {
  return order !== undefined && before?.order !== undefined && order < before.order
}

function isDated(sign: Pick<SessionSign, 'order'>): sign is { order: string } {
  return sign.order !== undefined && sign.order !== ''
}

async function handlePrompt(
  turns: FileTurns,
  session: WatchedSession,
  sign: Sign & { type: 'prompt' },
  position: SignPosition,
): Promise<void> {
  const { start, line, later } = position
  const began = {
    bytes: start - session.start,
    items: line - session.firstLine,
    ...given({ prompt: sign.prompt }),
  }
  session.prompts += 1
  // Reported before a crash.
  if (began.bytes <= (session.lastStart ?? -1)) return
  if (!isNews(turns, session, sign.at, start)) {
    session.missed = began
    return
  }
  const recorder = turns.recorder()
  if (
    recorder !== undefined &&
    isReported({ ...turns, recorder, session }, { bytes: began.bytes, at: sign.at, before: turns.touchedAt })
  ) {
    if (session.turn !== 'foreign') turns.report({ event: 'reported', session: session.id })
    return void Object.assign(session, { turn: 'foreign', lastStart: began.bytes })
  }
  await closeTurn(turns, start)
  await openTurn(turns, session, { ...began, ...whatFollows(later) })
}

function isNews(
  { silentUpTo, since, known }: FileTurns,
  session: WatchedSession,
  at: string | undefined,
  start: number,
): boolean {
  if (start >= silentUpTo || (parseTime(at)?.getTime() ?? 0) > since.getTime()) return true
  if (known?.id === session.id) return session.prompts > known.prompts
  return isDated(session) && session.order > (known?.order ?? localTime(since))
}

// Also after a pause that was taken for the end of the turn: tests can run for a long time before aider
// commits.
async function handleCommit(
  turns: FileTurns,
  session: WatchedSession,
  commit: string,
  { start, end }: SignPosition,
): Promise<void> {
  const isWatchedTurn =
    session.turn === 'open' || (session.turn === 'none' && session.prompts > 0 && start >= turns.silentUpTo)
  if (!isWatchedTurn) return
  const isLinked = await attempt(turns, (recorder) =>
    adoptReportedCommit({ ...turns, recorder, session, upTo: end - session.start }, commit),
  )
  if (isLinked) turns.report({ event: 'commit', session: session.id, commit })
}

// Reopens a turn that seemed to be over, or whose beginning was not seen.
async function continueTurn(
  turns: FileTurns,
  session: WatchedSession,
  isAnswer: boolean,
  { start, line, later }: SignPosition,
): Promise<void> {
  if (session.turn === 'none' && session.prompts > 0 && start >= turns.silentUpTo) {
    const here = { bytes: start - session.start, items: line - session.firstLine }
    await openTurn(turns, session, { ...(session.missed ?? here), ...whatFollows(later), isUnderway: true })
  }
  if (isAnswer) session.answered = true
}

async function openTurn(turns: FileTurns, session: WatchedSession, start: TurnStart): Promise<void> {
  Object.assign(session, { answered: false, lastStart: start.bytes })
  delete session.missed
  const isOpen = await attempt(turns, (recorder) =>
    startTurn({ ...turns, recorder, session, upTo: undefined }, start),
  )
  session.turn = isOpen ? 'open' : 'none'
  if (isOpen) turns.report({ event: 'turn-start', session: session.id, prompt: start.prompt })
}

/**
 * Ends the turn that this watcher reported, if one is running. `end`: where it ends in the file, when more
 * was written since.
 */
export async function closeTurn(turns: FileTurns, end?: number): Promise<void> {
  const { session } = turns.state
  if (session?.turn !== 'open') return
  session.turn = 'none'
  const ended: { before?: Session | undefined; after?: Session | undefined } = {}
  await attempt(turns, async (recorder) => {
    ended.before = findSessionState(recorder.repo, session.id)
    ended.after = await endTurn({
      ...turns,
      recorder,
      session,
      upTo: end === undefined ? undefined : end - session.start,
    })
  })
  if (ended.after !== undefined)
    turns.report({ event: 'turn-end', session: session.id, before: ended.before, after: ended.after })
}

/** Reports a failure instead of throwing it, so that the next turn is recorded. */
async function attempt(turns: FileTurns, act: (recorder: Recorder) => Promise<unknown>): Promise<boolean> {
  const recorder = turns.recorder()
  if (recorder === undefined) return false
  try {
    await act(recorder)
    return true
  } catch (error) {
    turns.report({ event: 'failed', session: turns.state.session?.id, error })
    return false
  }
}

/** What the turn has done by now, if its beginning is seen late. */
function whatFollows(later: Sign[]): Pick<TurnStart, 'commit' | 'isUnderway'> {
  const end = later.findIndex(({ type }) => type === 'prompt' || type === 'session')
  const signs = end === -1 ? later : later.slice(0, end)
  const commit = signs.find((sign) => sign.type === 'commit')?.commit
  return { commit, isUnderway: signs.some(({ type }) => type === 'work' || type === 'commit') || undefined }
}

/** A time without time zone, as some agents write it. */
function localTime(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19).replace('T', ' ')
}
