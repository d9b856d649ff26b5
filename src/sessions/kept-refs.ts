// What is kept for a while, in case somebody wants it back: a ref each, whose name says since when. A file says when the first of them is
// due, so that hooks need no git to know that there is nothing to do.

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

/** Undo refs of this work tree begin like this. */
export function undoPrefixOf({ worktreeId }: Repo): string {
  return `${undoPrefix}${worktreeHash(worktreeId)}-`
}

/** A ref for something that is put away now. */
export function newKeptRef({ repo, clock, random }: Recorder, prefix: string): string {
  const now = clock().getTime()
  if (readDue(repo) === undefined) writeDue(repo, now + keptMs)
  return `${prefix}${now}-${random(3)}`
}

/** When it was put away; undefined for a ref that is no such thing. */
function keptSince(ref: string): number | undefined {
  const ms = /[/-](\d{13})-[0-9a-f]+$/.exec(ref)?.[1]
  return ms === undefined ? undefined : Number(ms)
}

/** Drops what was kept long enough, of all work trees. */
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

/** The same for hooks: once in a month at most for each thing, and not at all where nothing is kept. */
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
