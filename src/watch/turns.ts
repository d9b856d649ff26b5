// From one sign to the next: where a turn begins, goes on and ends, and what of it is news.
import type { Agent } from '../model/agent.ts'
import type { Session } from '../model/session.ts'
import type { SessionSign, Sign } from '../model/session-file.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { findSessionState } from '../sessions/store.ts'
import { parseTime } from '../std/time.ts'
import { adoptReportedCommit, endSession, endTurn, isReported, startTurn, type TurnStart } from './events.ts'
import type { FileState, WatchedSession } from './state.ts'

export interface FileTurns {
  agent: Agent
  path: string
  state: FileState
  /**
   * What stands before this position was there already: it is news only when it says that it is younger than
   * `since`.
   */
  silentUpTo: number
  since: Date
  /** When the session was last touched before we knew it. */
  touchedAt: string | undefined
  /** After the file was rewritten: what had been read of the session that was written last. */
  known?: Pick<WatchedSession, 'id' | 'order' | 'prompts'>
  /** The session that is being read is an old one: it was copied into the file, or brought back. */
  isOld: boolean
  /** Fresh for every event, because settings change. Undefined while recording is off. */
  recorder(): Recorder | undefined
  report: WatchReport
}

/** Where in the file a sign was found, and which ones follow it. */
export interface SignPosition {
  start: number
  end: number
  line: number
  later: Sign[]
}

export async function handleSign(turns: FileTurns, sign: Sign, place: SignPosition): Promise<void> {
  const { session } = turns.state
  if (sign.type === 'session') return await enter(turns, sign, place)
  if (session === undefined || turns.isOld) return
  if (sign.type === 'prompt') await takePrompt(turns, session, sign, place)
  else if (sign.type === 'commit') await takeCommit(turns, session, sign.commit, place)
  else await goOn(turns, session, sign.type === 'answer', place)
}

async function enter(turns: FileTurns, sign: SessionSign, { start, line }: SignPosition): Promise<void> {
  const { state } = turns
  const before = state.session
  turns.isOld =
    isOlder(sign, before) ||
    (start >= turns.silentUpTo && isDated(sign) && sign.order < localTime(turns.since))
  if (turns.isOld) return
  if (before?.id === sign.session) return void Object.assign(before, { start, firstLine: line, prompts: 0 })
  if (before !== undefined && start >= turns.silentUpTo) {
    await closeTurn(turns, start)
    // Where hooks report sessions they report their ends, too.
    if (turns.agent.hookNames.length === 0)
      await attempt(turns, (recorder) =>
        endSession({ ...turns, recorder, session: before, upTo: start - before.start }),
      )
  }
  const order = sign.order === undefined ? {} : { order: sign.order }
  state.session = {
    id: sign.session,
    ...order,
    start,
    firstLine: line,
    prompts: 0,
    turn: 'none',
    answered: false,
  }
  noteTouched(turns)
  if (start >= turns.silentUpTo) turns.report({ event: 'session', session: sign.session })
}

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

async function takePrompt(
  turns: FileTurns,
  session: WatchedSession,
  sign: Sign & { type: 'prompt' },
  place: SignPosition,
): Promise<void> {
  const { start, line, later } = place
  const words = sign.prompt === undefined ? {} : { prompt: sign.prompt }
  const began = { bytes: start - session.start, items: line - session.firstLine, ...words }
  session.prompts += 1
  // Read again after a crash.
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
  await openTurn(turns, session, { ...began, commit: firstCommit(later) })
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

// Also after a pause that was taken for the end of the turn: tests can run for long before aider commits.
async function takeCommit(
  turns: FileTurns,
  session: WatchedSession,
  commit: string,
  { start, end }: SignPosition,
): Promise<void> {
  const isOurs =
    session.turn === 'open' || (session.turn === 'none' && session.prompts > 0 && start >= turns.silentUpTo)
  if (!isOurs) return
  const isLinked = await attempt(turns, (recorder) =>
    adoptReportedCommit({ ...turns, recorder, session, upTo: end - session.start }, commit),
  )
  if (isLinked) turns.report({ event: 'commit', session: session.id, commit })
}

// Also more of a turn that seemed to be over, or whose beginning nobody saw.
async function goOn(
  turns: FileTurns,
  session: WatchedSession,
  isAnswer: boolean,
  { start, line, later }: SignPosition,
): Promise<void> {
  if (session.turn === 'none' && session.prompts > 0 && start >= turns.silentUpTo) {
    const here = { bytes: start - session.start, items: line - session.firstLine }
    await openTurn(turns, session, { ...(session.missed ?? here), commit: firstCommit(later) })
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
 * Ends the turn that is ours, if one is going on. `end`: where in the file it ends, when more was written
 * since.
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

/** Whatever goes wrong is told; the next turn is another one. */
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

function firstCommit(later: Sign[]): string | undefined {
  const next = later.find(({ type }) => type === 'commit' || type === 'prompt' || type === 'session')
  return next?.type === 'commit' ? next.commit : undefined
}

/** As agents write it that name no time zone. */
function localTime(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19).replace('T', ' ')
}

// What somebody who watches is told.

export type WatchNews =
  | { event: 'session'; session: string }
  | { event: 'turn-start'; session: string; prompt: string | undefined }
  /** `before`: the session when the turn began. */
  | { event: 'turn-end'; session: string; before: Session | undefined; after: Session }
  /** Hooks report this session. */
  | { event: 'reported'; session: string }
  | { event: 'commit'; session: string; commit: string }
  | { event: 'failed'; session: string | undefined; error: unknown }

export type WatchReport = (news: WatchNews) => void
