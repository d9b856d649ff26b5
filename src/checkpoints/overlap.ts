// Decides whether a commit contains work of a session, and which work is still uncommitted. Compares
// contents, because paths alone would also match what the user wrote instead.

import type { Oid } from '../git/oid.ts'
import type { ChangedFile } from '../git/tree-diff.ts'

type Change = Pick<ChangedFile, 'before' | 'after'>

export interface TouchedFile {
  path: string
  /** Its entry in the commit or in the index; undefined when it is not part of it. */
  changed?: Change | undefined
  /** Its blob in the session's last step. */
  stepOid: Oid | undefined
}

/**
 * True when any touched file is in the commit, which is all that can be known of a session without a step.
 */
export function touchesCommit(files: Pick<TouchedFile, 'changed'>[]): boolean {
  return files.some((file) => file.changed !== undefined)
}

/**
 * True when the commit contains work of the session. Contents are compared only when object ids do not
 * decide.
 */
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
  // For a file that existed before, touching it is enough. A new one may be the user's under the same name.
  if (changed.before !== undefined) return 'yes'
  if (stepOid === undefined) return 'no'
  return stepOid === changed.after ? 'yes' : 'compare'
}

const significantLength = 10

/** True when two texts share at least two significant lines, or one if one of them has no more than one. */
export function shareLines(a: string, b: string): boolean {
  const [linesOfA, linesOfB] = [significantLines(a), significantLines(b)]
  const needed = Math.min(linesOfA.size, linesOfB.size) < 2 ? 1 : 2
  return linesOfA.intersection(linesOfB).size >= needed
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
  /** Blob ids of the files in the work tree; absent when not on disk. */
  worktree: ReadonlyMap<string, Oid>
}

/** The touched files whose work is still uncommitted, including deleted and stashed ones. */
export function remainingFiles(files: string[], { committed, step, worktree }: AfterCommit): string[] {
  return files.filter((path) => {
    const change = committed.get(path)
    if (change === undefined) return true
    if (step === undefined || !step.has(path)) return false
    return change.after !== step.get(path) && change.after !== worktree.get(path)
  })
}
