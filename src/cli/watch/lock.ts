// One watcher for each work tree: two would record everything twice.
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from '../../git/repo.ts'
import { EntireError } from '../../std/errors.ts'
import { readText } from '../../std/file.ts'
import { takeLock } from '../../std/lock.ts'

export interface WatchLock {
  /** Locks that nobody touches for long are taken over. False: somebody did. */
  keep(): boolean
  [Symbol.dispose](): void
}

export async function takeWatchLock(repo: Repo): Promise<WatchLock> {
  const path = join(repo.gitDir, 'entire-watch.lock')
  try {
    const lock = await takeLock(path, { waitMs: 0 })
    const own = readText(path)
    return {
      keep() {
        if (readText(path) !== own) return false
        const now = new Date()
        utimesSync(path, now, now)
        return true
      },
      [Symbol.dispose]: () => lock[Symbol.dispose](),
    }
  } catch (error) {
    if (!(error instanceof EntireError && error.code === 'busy')) throw error
    const owner = readText(path)?.split(' ')[0]
    throw new EntireError('busy', `Somebody is watching here already${owner ? ` (process ${owner})` : ''}.`, {
      hint: 'One `entire watch` is enough for all agents. Stop that one first, or leave it running.',
    })
  }
}
