// How a `git fast-import` that failed is understood, and what it leaves behind.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { EntireError } from '../std/errors.ts'
import { readText, removeFile } from '../std/file.ts'
import { gitFailure } from './exec.ts'
import type { Repo } from './repo.ts'

/** What its last words mean. */
export function importFailure(repo: Repo, ended: { code: number; stderr: string }): EntireError {
  if (/cannot create keep file/.test(ended.stderr)) {
    releasePacks(repo)
    return new EntireError('ref-moved', 'An import that was killed had begun the same pack.', { hint: 'Run the command again.' })
  }
  if (/not updating|does not contain|cannot lock ref|failed to update ref/i.test(ended.stderr)) {
    return new EntireError('ref-moved', 'A ref changed while it was being written.', { hint: 'Run the command again.' })
  }
  return gitFailure(['fast-import'], ended)
}

// A killed import leaves its mark on the pack it was writing; the same save made again would be the same pack, and find it taken.
function releasePacks(repo: Repo): void {
  const dir = join(repo.commonDir, 'objects', 'pack')
  for (const name of readdirSync(dir).filter((entry) => entry.endsWith('.keep'))) {
    if (readText(join(dir, name)) === 'fast-import') removeFile(join(dir, name))
  }
}

// An aborted fast-import dumps its state beside the repository; only the report of our own process is ours to remove.
export function removeCrashReport(repo: Repo, pid: number): void {
  removeFile(join(repo.gitDir, `fast_import_crash_${pid}`))
}
