// Finds the two states between which a turn worked: the steps around it, or the commit that holds its work.

import { isTask } from '../checkpoints/step.ts'
import type { LogEntry } from '../git/log.ts'
import { readLog } from '../git/log.ts'
import type { Oid } from '../git/oid.ts'
import type { Repo } from '../git/repo.ts'
import { readTrailer } from '../git/trailers.ts'
import { findSessionState } from '../sessions/store.ts'

export interface TurnRange {
  before: Oid
  after: Oid
  /** The files that the turn changed, where the two states differ in more than that. */
  paths?: string[]
}

// A turn with more subagents than that shows the rest of them as a turn of its own.
const mostTasks = 100

/** From the step before the turn, or the commit that the session began at, to the step. */
export async function rangeOfStep(repo: Repo, step: LogEntry): Promise<TurnRange> {
  const [, ...earlier] = await readLog(repo, [`-${mostTasks}`, '--first-parent', step.oid])
  // The steps of its subagents are parts of the turn.
  const before = isTask(step.message)
    ? earlier[0]
    : earlier.find((entry) => !isTask(entry.message) || !isSame(entry, step))
  const session = findSessionState(repo, sessionOf(step) ?? '')
  return { before: before?.oid ?? session?.baseCommit ?? 'HEAD', after: step.oid }
}

/** What the commit changed in these files. */
export function rangeOfCommit(commit: LogEntry, paths: string[]): TurnRange {
  return { before: commit.parents[0] ?? emptyTree(commit.oid), after: commit.oid, paths }
}

function isSame(a: LogEntry, b: LogEntry): boolean {
  return sessionOf(a) === sessionOf(b)
}

function sessionOf({ message }: LogEntry): string | undefined {
  return readTrailer(message, 'Entire-Session')[0]
}

// Git knows the empty tree without storing it.
function emptyTree(oid: Oid): Oid {
  const algorithm = oid.length === 64 ? 'sha256' : 'sha1'
  return new Bun.CryptoHasher(algorithm).update('tree 0\0').digest('hex')
}
