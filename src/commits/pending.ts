// Keeps notes about commits that are being made: the id of a checkpoint that a trailer promises, from before
// the commit exists until the checkpoint is written, and that a commit is to stay without a link. After a
// crash the next event completes what was promised, and a commit about which nothing was noted is known to
// have lost its hook.
//
// Several commits may be on their way at once, so the file has a line for each. Lines are appended; only the
// owner of the work tree's lock takes lines out.

import { join } from 'node:path'
import type { Repo } from '../git/repo.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { pendingName } from '../sessions/file-names.ts'
import { appendWhole, emptyFile, exists, overwrite, readText } from '../std/file.ts'
import { asNumber, asObject, asString, parseJson } from '../std/json.ts'

export interface PendingCommit {
  checkpoint: string
  at: number
  /** The trailer was in the message when the person began to edit it: if it is gone, it was deleted. */
  isShown?: boolean
}

/** The notes about all commits that are on their way. */
export interface CommitNotes {
  pending: PendingCommit[]
  /** A commit is to stay without a link. */
  isUnlinked: boolean
}

export function writePending(repo: Repo, { checkpoint, at }: PendingCommit): void {
  appendWhole(pendingFile(repo), `${JSON.stringify({ checkpoint, at })}\n`)
}

/** Notes that the trailer is in a message that is going to be edited. */
export function noteShown(repo: Repo, checkpoint: string): void {
  appendWhole(pendingFile(repo), `${JSON.stringify({ shown: checkpoint })}\n`)
}

// Does not begin like a promise: see prefetch-cat-file.ts.
const unlinkedLine = '!'

/** Notes that the commit which is about to be made gets no link. */
export function noteUnlinked(repo: Repo): void {
  appendWhole(pendingFile(repo), `${unlinkedLine}\n`)
}

export function readNotes(repo: Repo): CommitNotes {
  const lines = (readText(pendingFile(repo)) ?? '').split('\n')
  const records = lines.map((line) => asObject(parseJson(line))).filter((record) => record !== undefined)
  const shown = new Set(records.map((record) => asString(record.shown)))
  return {
    pending: records.flatMap((record) => {
      const checkpoint = asString(record.checkpoint)
      if (checkpoint === undefined) return []
      return [{ checkpoint, at: asNumber(record.at) ?? 0, isShown: shown.has(checkpoint) }]
    }),
    isUnlinked: lines.includes(unlinkedLine),
  }
}

export function readPending(repo: Repo): PendingCommit[] {
  return readNotes(repo).pending
}

/** Forgets everything but these. The caller holds the lock. */
export function keepPending(repo: Repo, pending: PendingCommit[]): void {
  const lines = pending.flatMap(({ checkpoint, at, isShown }) => [
    JSON.stringify({ checkpoint, at }),
    ...(isShown ? [JSON.stringify({ shown: checkpoint })] : []),
  ])
  if (lines.length === 0) emptyFile(pendingFile(repo))
  else overwrite(pendingFile(repo), `${lines.join('\n')}\n`)
}

/** The caller holds the lock. */
export function removePending(repo: Repo, checkpoint: string): void {
  keepPending(
    repo,
    readPending(repo).filter((entry) => entry.checkpoint !== checkpoint),
  )
}

function pendingFile(repo: Repo): string {
  return join(repo.gitDir, pendingName)
}

/** Holds what git reported of a rewrite, until sessions have followed it. */
export function rewriteFile(repo: Repo): string {
  return join(repo.gitDir, 'entire-rewrite')
}

/** True when an earlier hook of git died before it finished its work. */
export function isUnfinished(repo: Repo): boolean {
  return readPending(repo).length > 0 || exists(rewriteFile(repo))
}

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Twelve hex digits on the metadata branch; a ULID where every checkpoint has a ref of its own. */
export function newCheckpointId({
  settings,
  random,
  clock,
}: Pick<Recorder, 'settings' | 'random' | 'clock'>): string {
  return settings.checkpointsBackend === 'git-refs' ? ulid(clock().getTime(), random(10)) : random(6)
}

// 48 bits of time and 80 random bits, five bits a character.
function ulid(time: number, randomHex: string): string {
  let value = (BigInt(time) << 80n) | BigInt(`0x${randomHex}`)
  let text = ''
  for (let digit = 0; digit < 26; digit += 1) {
    text = crockford.charAt(Number(value & 31n)) + text
    value >>= 5n
  }
  return text
}
