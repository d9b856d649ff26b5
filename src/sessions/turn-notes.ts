// Notes what each turn since the last checkpoint asked, changed and spent, so that a commit of some of the work gets the
// prompts, tokens and range of that work.

import { isActive, type Session, type TurnNote } from '../model/session.ts'
import { addTokens, hasTokens, noTokens, subtractTokens, type TokenUsage } from '../model/tokens.ts'
import { given } from '../std/given.ts'

/** Enough for every turn that people keep apart; the oldest are joined with what comes after them. */
const mostNotes = 64

/** Notes that a turn has begun. `prompt` is redacted. */
export function noteTurn(session: Session, prompt: string | undefined): void {
  const { turnId = '', cursor, transcriptStart } = session
  const start = Math.max(cursor?.items ?? 0, transcriptStart)
  const note: TurnNote = { id: turnId, start, files: [] }
  if (prompt !== undefined) note.prompt = promptMark(prompt)
  session.turns = [...session.turns.filter(({ id }) => id !== turnId), note].slice(-mostNotes)
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
  const marks = marksOf(later, turns)
  return {
    tokens: hasTokens(tokens) ? tokens : undefined,
    ownPrompts: (prompts) => prompts.filter((prompt) => !marks.has(promptMark(prompt))),
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
