// What git is in the middle of.
import { join } from 'node:path'
import { exists } from '../std/file.ts'
import type { Repo } from './repo.ts'

/** A rebase, cherry-pick or revert makes commits that are not new work. */
export function isSequence(repo: Repo): boolean {
  return ['rebase-merge', 'rebase-apply', 'CHERRY_PICK_HEAD', 'REVERT_HEAD'].some((name) => exists(join(repo.gitDir, name)))
}
