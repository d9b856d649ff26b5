// Removes locks that a killed git of ours has left in the repository: on refs, on `packed-refs`, on HEAD.
//
// A hook notes in its own lock when it starts a git that writes. Who takes over that lock from a dead owner
// finds the notes. A lock of git counts as ours when it is no older than the first of them, and no git that
// could hold it, ours or the user's, is at work in the repository.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from '../git/repo.ts'
import { exists, findStat, readText, removeFile } from '../std/file.ts'
import { heirloom } from '../std/lock.ts'
import { lockFile } from './save.ts'

// Times of files are coarser than the clock.
const toleranceMs = 50
// Where the system does not tell which processes run, a lock of this age is dead.
const deadMs = 60_000

/** Returns the paths that were removed. The caller holds the lock of the work tree. */
export function clearOrphanedLocks(repo: Repo): string[] {
  const notes = heirloom(lockFile(repo))
  const started = [...(readText(notes) ?? '').matchAll(/^git (\d+)$/gm)].map(([, ms]) => Number(ms))
  if (started.length === 0) return []
  const since = Math.min(...started) - toleranceMs
  const locks = gitLocks(repo).filter((path) => (findStat(path)?.mtimeMs ?? 0) >= since)
  const isBusy = locks.length > 0 && hasOtherGit(repo)
  const orphans = locks.filter((path) => isBusy === false || (isBusy === undefined && isOld(path)))
  for (const path of orphans) removeFile(path)
  // While another git may hold some of them, the next event looks again.
  if (orphans.length === locks.length) removeFile(notes)
  return orphans
}

// Not the lock of the index: the user's own git is far more likely to have left it.
function gitLocks({ gitDir, commonDir }: Repo): string[] {
  const single = [
    join(gitDir, 'HEAD.lock'),
    join(commonDir, 'packed-refs.lock'),
    join(commonDir, 'shallow.lock'),
  ]
  const refs = join(commonDir, 'refs')
  const below = readdirSync(refs, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.lock'),
  )
  return [...single, ...below.map((name) => join(refs, name))].filter(exists)
}

// Hooks of ours ask these beside others; they lock nothing that is meant here.
const readers = /\0(?:status|cat-file|for-each-ref|log|diff|diff-tree|rev-parse|ls-files|rev-list)\0/

/** Whether a git that may hold a lock works in the repository; undefined where the system does not tell. */
function hasOtherGit({ root, commonDir }: Repo): boolean | undefined {
  let pids: string[]
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return undefined
  }
  return pids.some((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      if (!/^(?:[^\0]*[/])?git(?:-[a-z-]+)?\0/.test(command) || readers.test(command)) return false
      const cwd = readlinkSync(`/proc/${pid}/cwd`)
      return [root, commonDir].some((dir) => cwd === dir || cwd.startsWith(`${dir}/`))
    } catch {
      // It has ended, or belongs to another user.
      return false
    }
  })
}

function isOld(path: string): boolean {
  return Date.now() - (findStat(path)?.mtimeMs ?? Date.now()) > deadMs
}
