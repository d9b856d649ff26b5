// Keeps the states of sessions in step with a rewind: the work that it takes back no longer counts as theirs,
// until an undo.

import { changedAt, fileSignature } from '../checkpoints/snapshot.ts'
import type { Repo } from '../git/repo.ts'
import { isActive, type Session } from '../model/session.ts'
import { readLive, updateLive, writeLive } from '../sessions/live-index.ts'
import { readPromptFile, writePrompts } from '../sessions/prompts.ts'
import { formatSessionState, parseSessionState } from '../sessions/state-format.ts'
import { readSession, writeSession } from '../sessions/store.ts'
import { readTurnStart, writeTurnStart } from '../sessions/turn-start-state.ts'
import { asObject, asStrings, type Json, type JsonObject } from '../std/json.ts'

export interface SavedSession {
  session: Session
  prompts: string[]
}

/** Live sessions of this work tree, and the session of the step. */
export function sessionsHere(repo: Repo, ofStep: string | undefined): Session[] {
  const ids = new Set([...readLive(repo).sessions.keys(), ...(ofStep === undefined ? [] : [ofStep])])
  return [...ids]
    .flatMap((id) => readSession(repo, id) ?? [])
    .filter((session) => session.worktreePath === repo.root && session.baseCommit !== '')
}

export function saveSessions(repo: Repo, sessions: Session[]): SavedSession[] {
  return sessions.map((session) => ({
    session: structuredClone(session),
    prompts: readPromptFile(repo, session.id),
  }))
}

export function formatSavedSession({ session, prompts }: SavedSession): JsonObject {
  return { state: formatSessionState(session), prompts }
}

export function asSavedSession(value: Json): SavedSession | undefined {
  const record = asObject(value)
  const session = parseSessionState(record?.state)
  return session && { session, prompts: asStrings(record?.prompts) }
}

export interface Rewound {
  /** Paths that were written or deleted. */
  changed: ReadonlySet<string>
  /** Paths that now differ from HEAD. */
  differing: ReadonlySet<string>
  /** How many steps of each session were taken back. */
  dropped: ReadonlyMap<string, number>
  /** The step is the state before a turn: a session that has no step left has touched nothing of it. */
  isBeforeTurn: boolean
  /** The prompts of the step's session up to the step. */
  prompts?: { session: string; list: string[] }
}

export function settleSessions(
  repo: Repo,
  sessions: Session[],
  { changed, differing, dropped, isBeforeTurn, prompts }: Rewound,
): void {
  for (const session of sessions) {
    const steps = dropped.get(session.id) ?? 0
    session.stepCount = Math.max(0, session.stepCount - steps)
    const isOver = isBeforeTurn && session.stepCount === 0
    session.filesTouched = session.filesTouched.filter(
      (path) => !changed.has(path) || (differing.has(path) && !isOver),
    )
    if (steps > 0) session.promptAttributions = session.promptAttributions.slice(0, -steps)
    if (isActive(session)) settleTurn(repo, session, changed)
    else if (prompts?.session === session.id) writePrompts(repo, session.id, prompts.list)
  }
  store(repo, sessions)
}

/** Restores what a session knew of the files. One that has had turns since keeps those, too. */
export function restoreSessions(repo: Repo, saved: SavedSession[], changed: ReadonlySet<string>): void {
  const sessions = saved.flatMap(({ session: before, prompts }) => {
    const session = readSession(repo, before.id)
    if (session === undefined || session.baseCommit !== before.baseCommit) return []
    if (session.turnCount === before.turnCount) {
      session.filesTouched = before.filesTouched
      session.stepCount = before.stepCount
      session.promptAttributions = before.promptAttributions
      if (!isActive(session)) writePrompts(repo, session.id, prompts)
    } else {
      const restored = before.filesTouched.filter((path) => changed.has(path))
      session.filesTouched = [...new Set([...session.filesTouched, ...restored])].sort()
    }
    if (isActive(session)) settleTurn(repo, session, changed)
    return [session]
  })
  store(repo, sessions)
}

function store(repo: Repo, sessions: Session[]): void {
  const live = readLive(repo)
  for (const session of sessions) {
    writeSession(repo, session)
    updateLive(live, session)
  }
  writeLive(repo, live)
}

// Changes by a rewind in the middle of a turn count as made before the turn.
function settleTurn(repo: Repo, session: Session, changed: ReadonlySet<string>): void {
  const before = readTurnStart(repo, session.id)
  if (before === undefined) return
  const there = [...changed].filter((path) => changedAt(repo, path) !== undefined)
  const isThere = new Set(there)
  const others = Object.entries(before.dirty ?? {}).filter(([path]) => !changed.has(path))
  writeTurnStart(repo, session.id, {
    ...before,
    untracked: [
      ...new Set([...before.untracked.filter((path) => !changed.has(path) || isThere.has(path)), ...there]),
    ],
    deleted: [
      ...new Set([
        ...before.deleted.filter((path) => !isThere.has(path)),
        ...[...changed].filter((path) => !isThere.has(path)),
      ]),
    ],
    dirty: Object.fromEntries([
      ...others,
      ...there.map((path) => [path, fileSignature(repo, path)] as const),
    ]),
  })
}
