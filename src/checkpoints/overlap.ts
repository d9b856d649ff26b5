// Whether a commit holds work of a session, and what of it is still uncommitted: decided by content, because paths alone link what the user wrote instead.

import type { Oid } from '../git/oid.ts'
import type { ChangedFile } from '../git/tree-diff.ts'

type Change = Pick<ChangedFile, 'before' | 'after'>

/** A file the session touched, and what became of it. */
export interface TouchedFile {
  path: string
  /** Its entry in the commit, or in the index; undefined when it is not part of it. */
  changed?: Change | undefined
  /** Its blob in the session's last step. */
  stepOid: Oid | undefined
}

/** True when any touched file is in the commit: all that can be said of a session without a step. */
export function touchesCommit(files: Pick<TouchedFile, 'changed'>[]): boolean {
  return files.some((file) => file.changed !== undefined)
}

/** True when the commit holds work of the session. Contents are asked for only when object ids do not settle it. */
export async function overlaps(
  files: TouchedFile[],
  sharesLines: (path: string) => boolean | Promise<boolean>,
): Promise<boolean> {
  const verdicts = files.map(judge)
  if (verdicts.includes('yes')) return true
  for (const [index, file] of files.entries()) {
    if (verdicts[index] === 'compare' && (await sharesLines(file.path))) return true
  }
  return false
}

function judge({ changed, stepOid }: TouchedFile): 'yes' | 'no' | 'compare' {
  if (changed === undefined) return 'no'
  // An edited or deleted file was there before: touching it is enough. A new one may be someone else's under the same name.
  if (changed.before !== undefined) return 'yes'
  if (stepOid === undefined) return 'no'
  return stepOid === changed.after ? 'yes' : 'compare'
}

const significantLength = 10

/** True when two texts have at least two telling lines in common; one is enough where a text has no more than one. */
export function shareLines(a: string, b: string): boolean {
  const ours = significantLines(a)
  const theirs = significantLines(b)
  const needed = Math.min(ours.size, theirs.size) < 2 ? 1 : 2
  return ours.intersection(theirs).size >= needed
}

function significantLines(text: string): Set<string> {
  const lines = text.split('\n').map((line) => line.trim())
  return new Set(lines.filter((line) => line.length >= significantLength))
}

export interface AfterCommit {
  /** What the commit changed, by path. */
  committed: ReadonlyMap<string, Change>
  /** Blobs of the session's last step; undefined when it has none. */
  step: ReadonlyMap<string, Oid> | undefined
  /** Blobs the files in the work tree would have; absent when not on disk. */
  worktree: ReadonlyMap<string, Oid>
}

/** The touched files whose work is still to be committed: deleted and stashed ones too, which are not on disk. */
export function remainingFiles(files: string[], { committed, step, worktree }: AfterCommit): string[] {
  return files.filter((path) => {
    const change = committed.get(path)
    if (change === undefined) return true
    if (step === undefined || !step.has(path)) return false
    return change.after !== step.get(path) && change.after !== worktree.get(path)
  })
}
