// Keeps notes about commits that are being made: the id of a checkpoint that a trailer promises, from before
// the commit exists until the checkpoint is written, and that a commit is to stay without a link. After a
// crash the next event completes what was promised, and a commit about which nothing was noted is known to
// have lost its hook.
//
// Several commits may be on their way at once, so the file has a line for each. Lines are appended; only the
// owner of the work tree's lock takes lines out.

import { join } from 'node:path'
import { type HeadMove, headLogSize, readHeadMoves } from '../git/head-log.ts'
import type { Repo } from '../git/repo.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { pendingName } from '../sessions/file-names.ts'
import type { LiveIndex } from '../sessions/live-index.ts'
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
  /** Commits that are to stay without a link. */
  unlinked: UnlinkedCommit[]
}

interface UnlinkedCommit {
  at: number
  /** How long the reflog of HEAD was before the commit. */
  log: number
}

/** How long a message may be written. */
export const pendingMs = 10 * 60 * 1000

export function writePending(repo: Repo, { checkpoint, at }: PendingCommit): void {
  appendWhole(pendingFile(repo), `${JSON.stringify({ checkpoint, at })}\n`)
}

/** Notes that the trailer is in a message that is going to be edited. */
export function noteShown(repo: Repo, checkpoint: string): void {
  appendWhole(pendingFile(repo), `${JSON.stringify({ shown: checkpoint })}\n`)
}

// Does not begin like a promise: see prefetch-cat-file.ts.
const unlinkedMark = '!'

/** Notes that the commit which is about to be made gets no link. */
export function noteUnlinked(repo: Repo, at: number): void {
  appendWhole(pendingFile(repo), formatUnlinked({ at, log: headLogSize(repo) }))
}

function formatUnlinked({ at, log }: UnlinkedCommit): string {
  return `${unlinkedMark}${at} ${log}\n`
}

/**
 * True when the person did not want a link for the commit that moved HEAD, or no session had a part in it. Where there
 * is no reflog, what was noted is taken to be about this commit.
 */
export function isUnlinked({ unlinked }: CommitNotes, move: HeadMove | undefined): boolean {
  return unlinked.some(({ log }) => move === undefined || log <= move.start)
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
    unlinked: lines
      .filter((line) => line.startsWith(unlinkedMark))
      .map((line) => line.slice(unlinkedMark.length).split(' ').map(Number))
      .map(([at = 0, log = 0]) => ({ at, log })),
  }
}

export function readPending(repo: Repo): PendingCommit[] {
  return readNotes(repo).pending
}

/**
 * Forgets all promises but these, and what was noted of commits that have been made without a link. The caller holds
 * the lock.
 */
export function keepPending(repo: Repo, pending: PendingCommit[], now: number): void {
  const { unlinked } = readNotes(repo)
  const isMade = ({ log }: UnlinkedCommit) =>
    readHeadMoves(repo, log).some(({ before, after, isCheckout }) => before !== after && !isCheckout)
  const waiting = unlinked.filter((entry) => now - entry.at <= pendingMs && !isMade(entry))
  const lines = pending.flatMap(({ checkpoint, at, isShown }) => [
    `${JSON.stringify({ checkpoint, at })}\n`,
    ...(isShown ? [`${JSON.stringify({ shown: checkpoint })}\n`] : []),
  ])
  const text = [...lines, ...waiting.map(formatUnlinked)].join('')
  if (text === readText(pendingFile(repo))) return
  if (text === '') emptyFile(pendingFile(repo))
  else overwrite(pendingFile(repo), text)
}

/** The caller holds the lock. */
export function removePending(repo: Repo, checkpoint: string, now: number): void {
  const others = readPending(repo).filter((entry) => entry.checkpoint !== checkpoint)
  keepPending(repo, others, now)
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
  const { pending, unlinked } = readNotes(repo)
  return pending.length > 0 || unlinked.length > 0 || exists(rewriteFile(repo))
}

const mostMissed = 50

/**
 * Finds the commits that HEAD was moved by last and that no hook has looked at, oldest first. What was pulled, merged,
 * amended or replayed is not among them.
 */
export function findMissedCommits(repo: Repo, { headLog, sessions }: LiveIndex): HeadMove[] {
  if (sessions.size === 0 || headLog === undefined || headLog === headLogSize(repo)) return []
  const moves = readHeadMoves(repo, headLog)
  const isPassing = ({ before, after, isCommit, isCheckout }: HeadMove) =>
    isCommit || (isCheckout && before === after)
  const last = moves.slice(moves.findLastIndex((move) => !isPassing(move)) + 1)
  return last.filter(({ isCommit }) => isCommit).slice(-mostMissed)
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
