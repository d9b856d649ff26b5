// Keeps removed and replaced work for a while, each under a ref whose name holds the time. A file holds the
// date when the first of them expires, so that hooks need no git process to find that nothing is due.

import { join } from 'node:path'
import { worktreeHash } from '../checkpoints/layout.ts'
import type { Oid } from '../git/oid.ts'
import { listRefs, moveRefs } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { readText, removeFile, writeAtomic } from '../std/file.ts'
import type { Recorder } from './event-work.ts'
import type { GitSession } from './git-session.ts'

export const keptRefDays = 30
export const trashPrefix = 'refs/entire/trash/'
const undoPrefix = 'refs/entire/undo/'
const removedPrefix = 'refs/entire/removed/'

const dayMs = 24 * 60 * 60 * 1000

/** How long the refs below a prefix are kept, from the time in their names. */
const keptMs: Record<string, number> = {
  [trashPrefix]: keptRefDays * dayMs,
  [undoPrefix]: keptRefDays * dayMs,
  // Named after the day they begin with: kept for one to two days.
  [removedPrefix]: 2 * dayMs,
}

/** The prefix of this work tree's undo refs. */
export function undoPrefixOf({ worktreeId }: Repo): string {
  return `${undoPrefix}${worktreeHash(worktreeId)}-`
}

/** Names a ref for what is kept from now on. */
export function newKeptRef({ repo, clock, random }: Recorder, prefix: string): string {
  const ref = `${prefix}${clock().getTime()}-${random(3)}`
  noteDue(repo, ref)
  return ref
}

/**
 * Keeps removed steps reachable for a day or two. A commit of the user may hold trees and files that a step
 * wrote first: git finds them and does not write them again. Without a ref, a `git repack -ad` that began
 * before that commit would drop them. One ref per day and work tree holds them all.
 */
export async function keepRemoved(
  { repo, clock }: Recorder,
  git: Pick<GitSession, 'objects' | 'writes' | 'config'>,
  steps: Oid[],
): Promise<void> {
  if (steps.length === 0) return
  const now = clock().getTime()
  const ref = `${removedPrefix}${now - (now % dayMs)}-${worktreeHash(repo.worktreeId)}`
  const [last, { author }] = await Promise.all([git.objects.info(ref), git.config()])
  if (last === undefined) noteDue(repo, ref)
  git.writes().commit({
    ref,
    parent: last?.oid,
    // Without a first parent the tree starts empty, and stays so.
    mergeParents: steps,
    message: 'Steps whose branch was removed\n',
    author,
    seconds: Math.floor(now / 1000),
    changes: [],
  })
}

/** When a ref expires; undefined for any other ref. */
function dueOf(ref: string): number | undefined {
  const prefix = Object.keys(keptMs).find((candidate) => ref.startsWith(candidate))
  const since = /[/-](\d{13})-[0-9a-f]+$/.exec(ref)?.[1]
  return prefix === undefined || since === undefined ? undefined : Number(since) + (keptMs[prefix] ?? 0)
}

function noteDue(repo: Repo, ref: string): void {
  const due = dueOf(ref) ?? 0
  if ((readDue(repo) ?? Number.POSITIVE_INFINITY) > due) writeDue(repo, due)
}

/** Removes expired refs of all work trees. */
export async function expireKeptRefs({ repo, clock }: Recorder): Promise<void> {
  const now = clock().getTime()
  const kept = (await listRefs(repo, ...Object.keys(keptMs))).map((tip) => ({
    ...tip,
    due: dueOf(tip.ref) ?? Number.NaN,
  }))
  await moveRefs(
    repo,
    kept.filter(({ due }) => due < now).map(({ ref, oid }) => ({ ref, to: undefined, from: oid })),
  )
  const left = kept.filter(({ due }) => due >= now).map(({ due }) => due)
  if (left.length === 0) removeFile(dueFile(repo))
  else writeDue(repo, Math.min(...left))
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
