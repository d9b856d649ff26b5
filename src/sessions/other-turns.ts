// Tells a turn's own files from those of other turns that run in the same work tree. A tool call that names a file
// decides; else the only turn that was at work when the file changed; else it is shared.

import { changedAt, fileSignature } from '../checkpoints/snapshot.ts'
import type { Repo } from '../git/repo.ts'
import type { Session } from '../model/session.ts'
import { findStat } from '../std/file.ts'
import type { LiveIndex } from './live-index.ts'
import { isProvisional } from './provisional-turn.ts'
import { readSession } from './store.ts'
import { readTurnTranscript, type TranscriptRequest } from './transcript.ts'
import { clockSlackMs, toRepoPaths } from './turn-changes.ts'
import { readTurnStart, type TurnStartState, writeTurnStart } from './turn-start-state.ts'

/** A turn among others. */
export interface TurnAmongOthers extends Omit<TranscriptRequest, 'agent'> {
  live: Pick<LiveIndex, 'sessions'>
}

export interface Division {
  /** Shared ones included. */
  own: string[]
  /** Nothing tells which of several turns changed them. */
  shared: string[]
}

/** `named` are those that the turn's own tool calls name. */
export async function divideFiles(
  turn: TurnAmongOthers,
  touched: string[],
  named: ReadonlySet<string>,
): Promise<Division> {
  const start = readTurnStart(turn.recorder.repo, turn.session.id)
  const unnamed = touched.filter((path) => !named.has(path))
  const shared = new Set(unnamed.filter((path) => start?.shared?.includes(path)))
  const foreign = new Set<string>()
  for (const other of unnamed.length === 0 ? [] : findOthers(turn)) {
    const suspects = unnamed.filter((path) => hasChangedSince(turn.recorder.repo, path, other.start))
    if (suspects.length === 0 || !hasSpoken(other.session, start)) continue
    const names = await readNames(turn, other.session)
    for (const path of suspects)
      if (names?.has(path)) foreign.add(path)
      else if (names !== undefined) shared.add(path)
  }
  const own = touched.filter((path) => !foreign.has(path))
  return { own, shared: own.filter((path) => shared.has(path)) }
}

/**
 * Tells the other running turns whose the files are: what is the turn's alone is to them as if it had been there
 * when they began.
 */
export function noteForOthers(turn: Pick<TurnAmongOthers, 'recorder' | 'session' | 'live'>, files: Division) {
  const { repo } = turn.recorder
  const isShared = new Set(files.shared)
  for (const { session, start } of files.own.length === 0 ? [] : findOthers(turn)) {
    const settled = files.own.filter((path) => !isShared.has(path))
    const present = settled.filter((path) => changedAt(repo, path) !== undefined)
    const gone = settled.filter((path) => changedAt(repo, path) === undefined)
    writeTurnStart(repo, session.id, {
      ...start,
      untracked: union(start.untracked, present),
      deleted: union(start.deleted, gone),
      dirty: {
        ...start.dirty,
        ...Object.fromEntries(present.map((path) => [path, fileSignature(repo, path)])),
      },
      shared: union(start.shared ?? [], files.shared),
    })
  }
}

interface OtherTurn {
  session: Session
  start: TurnStartState
}

function findOthers({
  recorder: { repo },
  session,
  live,
}: Pick<TurnAmongOthers, 'recorder' | 'session' | 'live'>): OtherTurn[] {
  return [...live.sessions].flatMap(([id, { active }]) => {
    if (!active || id === session.id) return []
    const [other, start] = [readSession(repo, id), readTurnStart(repo, id)]
    return other === undefined || start === undefined ? [] : [{ session: other, start }]
  })
}

/** True when the file is not as it was when the turn began. */
export function hasChangedSince(repo: Repo, path: string, { dirty, deleted }: TurnStartState): boolean {
  const signature = fileSignature(repo, path)
  return signature === '' ? !deleted.includes(path) : dirty?.[path] !== signature
}

// A turn that was interrupted, or whose agent died, is open still, but its log does not grow any more.
function hasSpoken({ transcriptPath }: Session, since: TurnStartState | undefined): boolean {
  const stat = transcriptPath === undefined ? undefined : findStat(transcriptPath)
  return stat === undefined || stat.mtimeMs >= (since?.at ?? 0) - clockSlackMs
}

/** The files that the tool calls of a running turn name; undefined when the turn has not begun to work. */
async function readNames(
  { recorder, objects, sampleOid }: TurnAmongOthers,
  session: Session,
): Promise<Set<string> | undefined> {
  const agent = await recorder.findAgentByType(session.agentType)
  const transcript = agent && (await readTurnTranscript({ recorder, agent, session, objects, sampleOid }))
  if (await isProvisional({ recorder, session }, async () => transcript)) return undefined
  return new Set(toRepoPaths(recorder.repo, [...session.turnFiles, ...(transcript?.files ?? [])]))
}

function union(a: string[], b: string[]): string[] {
  return [...new Set([...a, ...b])]
}
