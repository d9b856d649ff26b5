// Keeps removed and replaced work for a while, each under a ref whose name holds the time. A file holds the
// date when the first of them expires, so that hooks need no git process to find that nothing is due.

import { join } from 'node:path'
import { worktreeHash } from '../checkpoints/layout.ts'
import { listRefs, moveRefs } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { readText, removeFile, writeAtomic } from '../std/file.ts'
import type { Recorder } from './event-work.ts'

export const keptRefDays = 30
export const trashPrefix = 'refs/entire/trash/'
const undoPrefix = 'refs/entire/undo/'

const keptMs = keptRefDays * 24 * 60 * 60 * 1000

/** The prefix of this work tree's undo refs. */
export function undoPrefixOf({ worktreeId }: Repo): string {
  return `${undoPrefix}${worktreeHash(worktreeId)}-`
}

/** Names a ref for what is kept from now on. */
export function newKeptRef({ repo, clock, random }: Recorder, prefix: string): string {
  const now = clock().getTime()
  if (readDue(repo) === undefined) writeDue(repo, now + keptMs)
  return `${prefix}${now}-${random(3)}`
}

/** Since when a ref is kept; undefined for any other ref. */
function keptSince(ref: string): number | undefined {
  const ms = /[/-](\d{13})-[0-9a-f]+$/.exec(ref)?.[1]
  return ms === undefined ? undefined : Number(ms)
}

/** Removes expired refs of all work trees. */
export async function expireKeptRefs({ repo, clock }: Recorder): Promise<void> {
  const limit = clock().getTime() - keptMs
  const kept = (await listRefs(repo, trashPrefix, undoPrefix)).map((tip) => ({
    ...tip,
    since: keptSince(tip.ref) ?? Number.NaN,
  }))
  await moveRefs(
    repo,
    kept.filter(({ since }) => since < limit).map(({ ref, oid }) => ({ ref, to: undefined, from: oid })),
  )
  const left = kept.filter(({ since }) => since >= limit).map(({ since }) => since)
  if (left.length === 0) removeFile(dueFile(repo))
  else writeDue(repo, Math.min(...left) + keptMs)
}

/** For hooks: costs a git process only when a ref has expired. */
export async function expireKeptRefsIfDue(recorder: Recorder): Promise<void> {
  const due = readDue(recorder.repo)
  if (due !== undefined && due <= recorder.clock().getTime()) await expireKeptRefs(recorder)
}

function readDue(repo: Repo): number | undefined {
  const text = readText(dueFile(repo))
  return text === undefined ? undefined : Number(text) || 0
}

function writeDue(repo: Repo, ms: number): void {
  writeAtomic(dueFile(repo), String(ms))
}

function dueFile(repo: Repo): string {
  return join(repo.commonDir, 'entire-kept.json')
}
