// Notes what each turn since the last checkpoint asked, changed and spent, so that a commit of some of the work gets the
// prompts, tokens and range of that work.

import { isActive, type Session, type TurnNote } from '../model/session.ts'
import { addTokens, hasTokens, noTokens, subtractTokens, type TokenUsage } from '../model/tokens.ts'
import { given } from '../std/given.ts'

/** Enough for every turn that people keep apart; the oldest are joined with what comes after them. */
const mostNotes = 64

/** Notes that a turn has begun. `prompt` is redacted. */
export function noteTurn(session: Session, at: number, prompt: string | undefined): TurnNote {
  const { turnId = '', cursor, transcriptStart } = session
  const start = Math.max(cursor?.items ?? 0, transcriptStart)
  const note: TurnNote = { id: turnId, start, files: [], at, number: session.stepCount + 1 }
  if (prompt !== undefined) note.prompt = promptMark(prompt)
  session.turns = [...session.turns.filter(({ id }) => id !== turnId), note].slice(-mostNotes)
  return note
}

/** A prompt in a transcript, redacted. */
interface Asked {
  prompt: string
  entry: string
  follows: string
}

/**
 * Notes which entries hold the prompts of the turns. Returns those that were abandoned: a later prompt follows the same
 * entry.
 */
export function noteAsked(session: Session, asked: Asked[]): TurnNote[] {
  const { turns } = session
  for (const { prompt, entry, follows } of asked) {
    if (turns.some((turn) => turn.entry === entry)) continue
    const mark = promptMark(prompt)
    const turn = turns.find((candidate) => candidate.entry === undefined && candidate.prompt === mark)
    if (turn !== undefined) Object.assign(turn, { entry, follows })
  }
  const last = turns.findLastIndex(({ follows }) => follows !== undefined)
  const first = turns.findIndex(({ follows }) => follows !== undefined && follows === turns[last]?.follows)
  return first === -1 ? [] : turns.slice(first, last)
}

/** The prompts without those of some turns. */
export function withoutPromptsOf({ turns }: Session, some: TurnNote[], prompts: string[]): string[] {
  const marks = marksOf(some, turns)
  return prompts.filter((prompt) => !marks.has(promptMark(prompt)))
}

/** Adds to the files of the session, and to those of its last turn. */
export function noteTouched(session: Session, files: string[]): void {
  session.filesTouched = [...new Set([...session.filesTouched, ...files])].sort()
  const turn = session.turns.at(-1)
  if (turn !== undefined) turn.files = [...new Set([...turn.files, ...files])].sort()
}

/** Adds to what the session has spent since its last checkpoint, and to what its last turn has. */
export function noteTokens(session: Session, tokens: TokenUsage): void {
  session.checkpointTokens = addTokens(session.checkpointTokens ?? noTokens, tokens)
  const turn = session.turns.at(-1)
  if (turn !== undefined) turn.tokens = addTokens(turn.tokens ?? noTokens, tokens)
}

/** What a session has done since its last checkpoint, divided by a commit. */
export interface SplitTurns {
  /** The tokens that belong to the commit. */
  tokens: TokenUsage | undefined
  /** Of the prompts, those that belong to it. */
  ownPrompts(prompts: string[]): string[]
  /** The turns of which the commit holds nothing. */
  later: TurnNote[]
}

/** A turn belongs to a later commit when it changed files, and none of them is in this one. */
export function splitTurns(session: Session, committed: ReadonlySet<string>): SplitTurns {
  const { turns, checkpointTokens } = session
  const running = runningTurn(session)
  const isLater = (turn: TurnNote) =>
    turn !== running && turn.files.length > 0 && !turn.files.some((path) => committed.has(path))
  const found = turns.filter(isLater)
  // A commit that no turn accounts for is not split.
  const later = turns.every((turn) => turn.files.length === 0 || found.includes(turn)) ? [] : found
  const tokens = checkpointTokens && subtractTokens(checkpointTokens, spentIn(later))
  return {
    tokens: hasTokens(tokens) ? tokens : undefined,
    ownPrompts: (prompts) => withoutPromptsOf(session, later, prompts),
    later,
  }
}

function runningTurn(session: Session): TurnNote | undefined {
  return isActive(session) ? session.turns.at(-1) : undefined
}

function spentIn(turns: TurnNote[]): TokenUsage {
  return turns.flatMap(({ tokens }) => tokens ?? []).reduce(addTokens, noTokens)
}

/**
 * After a commit: keeps the turns that have files left, and what was spent in those that it holds nothing of. What is
 * left begins with the first of them.
 */
export function keepTurns(session: Session, left: string[], { later }: Pick<SplitTurns, 'later'>): void {
  const { items = session.transcriptStart, behind } = session.cursor ?? {}
  const running = runningTurn(session)
  const isLeft = new Set(left)
  const spent = spentIn(later)
  session.turns = session.turns.flatMap((turn) => {
    const files = turn.files.filter((path) => isLeft.has(path))
    const { tokens, ...rest } = turn
    if (files.length === 0) return turn === running ? { ...rest, files, start: items } : []
    return { ...rest, files, ...(later.includes(turn) ? given({ tokens }) : {}) }
  })
  delete session.checkpointTokens
  if (hasTokens(spent)) session.checkpointTokens = spent
  const starts = session.turns.flatMap(({ files, start }) => (files.length === 0 ? [] : start))
  if (starts.length > 0) session.transcriptStart = Math.min(...starts)
  else if (left.length === 0 && behind === undefined) session.transcriptStart = items
}

/** Of the prompts, those of turns that are left; all where turns were not noted. */
export function promptsLeft({ turns }: Session, prompts: string[]): string[] {
  const marks = marksOf(turns, [])
  return marks.size === 0 ? prompts : prompts.filter((prompt) => marks.has(promptMark(prompt)))
}

// The same prompt may have begun a turn that is not among them.
function marksOf(turns: TurnNote[], all: TurnNote[]): Set<string> {
  const others = new Set(all.filter((turn) => !turns.includes(turn)).map(({ prompt }) => prompt))
  return new Set(turns.flatMap(({ prompt }) => (prompt === undefined || others.has(prompt) ? [] : prompt)))
}

function promptMark(redacted: string): string {
  return new Bun.CryptoHasher('sha1').update(redacted.trim()).digest('hex').slice(0, 12)
}
